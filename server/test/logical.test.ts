// Logical environments: their state changes together with any of their members.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPodReport,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  readLatestSnapshot,
  report,
} from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from './reports.ts'

let app: TestApp
let environments = 0
let env: string
const a = () => `a${environments.toString(16).padStart(3, '0')}`
const b = () => `b${environments.toString(16).padStart(3, '0')}`

beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
  await putPolicy(app, 'lax', '_schema: https://waybill.example/v1\n')
})
afterAll(() => app.stop())
beforeEach(async () => {
  env = `env-${++environments}`
  await putPolicy(app, env, buildPolicyRequiring('unit'))
})

const reportArtifact = (start: string) =>
  app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint(start), nameTrail(`trail-${start}`)))

const attest = (start: string, attestation_name: string, is_compliant: boolean) =>
  app.member.post(`/attestations/acme/build/trail/trail-${start}/generic`, {
    attestation_name,
    is_compliant,
    artifact_fingerprint: makeFingerprint(start),
  })

describe('a logical environment', () => {
  it('allows an artifact unchecked until every member has a policy', async () => {
    const [one, two, all] = [`${env}-one`, `${env}-two`, `${env}-all`]
    for (const name of [one, two]) await makeEnvironment(app, name)
    await makeEnvironment(app, all, { type: 'logical', included_environments: [one, two] })
    await reportArtifact(a())
    const ask = async () => {
      const path = `/asserts/acme/fingerprint/${makeFingerprint(a())}?environment_name=${all}`
      const { compliant, unknown_because } = (await app.reader.get(path)).body
      return { compliant, unknown_because }
    }
    expect(await ask()).toEqual({ compliant: true, unknown_because: 'no-policies' })
    await attach(app, one, 'lax')
    expect(await ask()).toEqual({ compliant: true, unknown_because: 'no-policies' })
    await attach(app, two, 'lax')
    expect(await ask()).toEqual({ compliant: true, unknown_because: null })
    await attach(app, two, env)
    expect(await ask()).toEqual({ compliant: false, unknown_because: null })
  })

  it('has the artifacts and state of its members as soon as any of them changes', async () => {
    const [one, two, all] = [`${env}-one`, `${env}-two`, `${env}-all`]
    for (const name of [one, two]) await makeEnvironment(app, name)
    await makeEnvironment(app, all, { type: 'logical', included_environments: [one, two] })
    await report(app, one, a())
    await report(app, two, b())
    const snapshot = await readLatestSnapshot(app, all)
    expect(snapshot).toMatchObject({ index: 2, state: null, type: 'logical' })
    expect(
      snapshot.artifacts.map(({ name, environment_name }: Record<string, string>) => [
        name,
        environment_name,
      ]),
    ).toEqual([
      [buildImageName(a()), one],
      [buildImageName(b()), two],
    ])
    await attach(app, one, env)
    expect(await readLatestSnapshot(app, all)).toMatchObject({ index: 3, state: false })
    await attach(app, two, env)
    for (const start of [a(), b()]) {
      await reportArtifact(start)
      await attest(start, 'unit', true)
    }
    await app.evaluate()
    expect(await readLatestSnapshot(app, all)).toMatchObject({ state: true })
    const first = (await app.reader.get(`/snapshots/acme/${all}/1`)).body
    expect(first.artifacts).toHaveLength(1)
  })

  it.each<[(boolean | null)[], boolean | null]>([
    [[true], true],
    [[false], false],
    [[null], null],
    [[true, true], true],
    [[true, false], false],
    [[true, null], null],
    [[null, false], false],
    [[null, null], null],
    [[false, null, true], false],
    [[], null],
  ])('of members that are %j is %j', async (states, state) => {
    const members: string[] = []
    for (const [i, wanted] of states.entries()) {
      const member = `${env}-${i}`
      members.push(member)
      await makeEnvironment(app, member)
      if (wanted !== null) await attach(app, member, wanted ? 'lax' : env)
    }
    await makeEnvironment(app, `${env}-all`, { type: 'logical', included_environments: members })
    for (const member of members) await report(app, member, a())
    for (const [i, member] of members.entries()) {
      expect((await app.reader.get(`/environments/acme/${member}`)).body.state).toBe(states[i])
    }
    expect((await app.reader.get(`/environments/acme/${env}-all`)).body.state).toBe(state)
    if (members.length > 0) expect((await readLatestSnapshot(app, `${env}-all`)).state).toBe(state)
  })

  it('accepts no report', async () => {
    const all = `${env}-all`
    await makeEnvironment(app, all, { type: 'logical' })
    const refused = await app.snapshotter.put(`/environments/acme/${all}/report/K8S`, buildPodReport(a()))
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.body.errors)).toEqual(['type'])
  })
})
