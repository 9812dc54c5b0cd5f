// Requests about many things at once send as many statements as requests about two, whether the number is in the
// request or in the data. Statement names are compared, so that no statement can hide in the count.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, buildPolicyRequiring, makeEnvironment, putPolicy, report } from './environments.ts'
import { startTestApp, type TestApp, type TestResponse } from './harness.ts'
import { makeNotification } from './notifications.ts'
import { addPerson } from './people.ts'
import { makeFingerprint } from './reports.ts'
import { listStatements } from './statement-log.ts'

const FEW = 2
const MANY = 40

let app: TestApp
const listNames = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
const members = listNames('member', MANY)
const policies = listNames('policy', MANY)

beforeAll(async () => {
  app = await startTestApp()
  for (const name of members) {
    await makeEnvironment(app, name)
    await report(app, name, 'a1')
  }
  for (const name of policies) await putPolicy(app, name, '_schema: https://waybill.example/v1\n')
  await putPolicy(app, 'strict', buildPolicyRequiring('unit'))
})
afterAll(() => app.stop())

/** The statements of a successful request, without those that look up the caller. */
async function record(send: () => Promise<TestResponse>): Promise<string[]> {
  await app.member.get('/environments/acme/member-0')
  await app.reader.get('/environments/acme/member-0')
  return listStatements(app, async () => {
    const { status, text } = await send()
    if (status >= 300) throw new Error(`${status} ${text}`)
  })
}

/** Expects the same statements for few and for many; `send` gets a name that no other request uses. */
async function expectConstant(send: (count: number, name: string) => Promise<string[]>): Promise<void> {
  const few = await send(FEW, `few-${++used}`)
  const many = await send(MANY, `many-${used}`)
  expect(few.length).toBeGreaterThan(0)
  expect(many).toEqual(few)
}
let used = 0

const logical = (name: string, count: number) => ({
  name,
  type: 'logical',
  included_environments: members.slice(0, count),
})
const putLogical = (name: string, count: number) => app.member.put('/environments/acme', logical(name, count))
const patch = (name: string, body: object) => app.member.patch(`/environments/acme/${name}`, body)

describe('the members of a logical environment', () => {
  it('are set by a PUT that creates it', () =>
    expectConstant((count, name) => record(() => putLogical(name, count))))

  it('are added by a PATCH', () =>
    expectConstant(async (count, name) => {
      await putLogical(name, 0)
      return record(() => patch(name, { included_environments: members.slice(0, count) }))
    }))

  it('are removed by a PUT', () =>
    expectConstant(async (count, name) => {
      await putLogical(name, count)
      return record(() => putLogical(name, 0))
    }))

  it.each(['-1', '1'])('are read with snapshot %s', expression =>
    expectConstant(async (count, name) => {
      await putLogical(name, count)
      return record(() => app.reader.get(`/snapshots/acme/${name}/${expression}`))
    }),
  )

  it('are compared with another snapshot', () =>
    expectConstant(async (count, name) => {
      await putLogical(name, count)
      return record(() => app.reader.get(`/env-diff/acme?snappish1=${name}&snappish2=member-1`))
    }))
})

describe('the policies of an environment', () => {
  const put = (name: string, names: string[]) => makeEnvironment(app, name, { policies: names })

  it('are set by a PUT that creates it', () =>
    expectConstant((count, name) => record(() => put(name, policies.slice(0, count)))))

  it('are replaced by a PATCH', () =>
    expectConstant(async (count, name) => {
      await put(name, ['strict', ...policies.slice(0, count / 2)])
      return record(() => patch(name, { policies: ['strict', ...policies.slice(count / 2, count)] }))
    }))

  it('are attached and detached', () =>
    expectConstant(async (count, name) => {
      await put(name, [])
      const policy_names = policies.slice(0, count)
      const path = `/environments/acme/${name}/policies`
      return [
        ...(await record(() => app.member.post(path, { policy_names }))),
        ...(await record(() => app.member.delete(path, { policy_names }))),
      ]
    }))
})

describe('the logical environments that include one', () => {
  async function includeIn(count: number, name: string): Promise<void> {
    await makeEnvironment(app, name)
    await report(app, name, 'b1')
    const parents = listNames(`all-${name}`, count)
    for (const parent of parents) {
      await makeEnvironment(app, parent, { type: 'logical', included_environments: [name] })
    }
    await makeNotification(app, {
      environments: parents,
      triggers: ['ON_STARTED_ARTIFACT', 'ON_NON_COMPLIANT_ENV'],
    })
  }

  it('get their snapshots and messages when it turns red', () =>
    expectConstant(async (count, name) => {
      await includeIn(count, name)
      return record(() => attach(app, name, 'strict'))
    }))

  it('get their snapshots and messages when an artifact starts', () =>
    expectConstant(async (count, name) => {
      await includeIn(count, name)
      return record(() => report(app, name, 'b1', 'c1'))
    }))

  it('lose it when it is archived', () =>
    expectConstant(async (count, name) => {
      await includeIn(count, name)
      return record(() => app.member.put(`/environments/acme/${name}/archive`))
    }))
})

describe('the artifacts of a report', () => {
  const [SMALL, LARGE] = [50, 2_000]
  const sendArtifacts = (name: string, from: number, count: number) =>
    report(app, name, ...Array.from({ length: count }, (_, i) => (from + i).toString(16).padStart(8, '0')))

  async function expectSame(send: (count: number, name: string) => Promise<string[]>): Promise<void> {
    const small = await send(SMALL, `small-${++used}`)
    expect(small.length).toBeGreaterThan(0)
    expect(await send(LARGE, `large-${used}`)).toEqual(small)
  }

  /** The statements of the report, and of the evaluation that follows it. */
  const recordAll = async (send: () => Promise<TestResponse>) => {
    await app.evaluate()
    const sent = [...(await record(send)), ...(await listStatements(app, app.evaluate))]
    // Read once by each thread: the first large report is the first of its thread.
    return sent.filter(name => name !== 'log.read_tag_key')
  }

  it('start, with their verdicts', () =>
    expectSame(async (count, name) => {
      await makeEnvironment(app, name, { policies: ['strict'] })
      return recordAll(() => sendArtifacts(name, 0, count))
    }))

  it('replace all others', () =>
    expectSame(async (count, name) => {
      await makeEnvironment(app, name)
      await sendArtifacts(name, 0, count)
      await app.evaluate()
      return recordAll(() => sendArtifacts(name, count, count))
    }))

  it('are read just after they have replaced all others', () =>
    expectSame(async (count, name) => {
      await makeEnvironment(app, name)
      await sendArtifacts(name, 0, count)
      await sendArtifacts(name, count, count)
      return record(() => app.reader.get(`/snapshots/acme/${name}/-1`))
    }))
})

describe('everything that belongs to one thing', () => {
  it('the allow-list of an archived environment that a PUT restores', () =>
    expectConstant(async (count, name) => {
      await makeEnvironment(app, name)
      for (let i = 0; i < count; i++) {
        const artifact_fingerprint = makeFingerprint(`${i.toString(16).padStart(3, '0')}f`)
        const entry = { artifact_fingerprint, artifact_name: 'x', description: 'x' }
        expect((await app.member.put(`/allowlists/acme/${name}`, entry)).status).toBe(201)
      }
      await app.member.put(`/environments/acme/${name}/archive`)
      return record(() => makeEnvironment(app, name))
    }))

  it('the service accounts of a leaver', () =>
    expectConstant(async (count, name) => {
      await addPerson(app, name, 'member')
      for (const account of listNames(`robot-${name}`, count)) {
        const body = { name: account, privilege: 'reader', owner: name }
        expect((await app.admin.post('/service-accounts/acme', body)).status).toBe(201)
      }
      await app.admin.get('/environments/acme/member-0')
      return record(() => app.admin.delete(`/members/acme/${name}`))
    }))
})
