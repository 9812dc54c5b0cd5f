// GET /environments/{org}/{env_name}/policy-changes: the changes, from the snapshots themselves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, makeEnvironment, putPolicy, report } from '../../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'

const HOUR_S = 3600
const RULES = '_schema: https://waybill.example/v1\n'
const STRICT = `${RULES}artifacts:\n  provenance:\n    required: true\n`

let app: TestApp
let start: number
const wait = async (hours: number) => {
  app.clock.advance(hours * HOUR_S * 1000)
  await app.evaluate()
}
const detach = (environment: string, ...policy_names: string[]) =>
  app.member.delete(`/environments/acme/${environment}/policies`, { policy_names })

// prod reports at 0 with `old` attached; `live` is attached at 1, changed at 2; `old` is detached at 3. other reports at 4,
// and `live` is attached to it in the same hour.
beforeAll(async () => {
  app = await startTestApp()
  start = app.clock.now().getTime() / 1000
  await putPolicy(app, 'old', RULES)
  await putPolicy(app, 'live', RULES)
  for (const name of ['prod', 'other', 'silent']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'both', { type: 'logical', included_environments: ['prod', 'other'] })
  await attach(app, 'prod', 'old')
  await attach(app, 'silent', 'old')
  await report(app, 'prod', 'a')
  await wait(1)
  await attach(app, 'prod', 'live')
  await wait(1)
  await putPolicy(app, 'live', STRICT)
  await app.evaluate()
  await wait(1)
  await detach('prod', 'old')
  await wait(1)
  await report(app, 'other', 'b')
  await attach(app, 'other', 'live')
  await report(app, 'prod', 'a', 'b')
  await wait(1)
})
afterAll(() => app.stop())

interface Change {
  timestamp: number
  environment_name: string
  snapshot_index: number
  change: string
  policy_name: string
  version: number | null
  previous_version: number | null
}

const read = (environment: string, query = '') =>
  app.reader.get(`/environments/acme/${environment}/policy-changes?${query}`)
/** [hours after the start, environment, snapshot, change, policy, before, after]. */
const summarize = ({ changes }: { changes: Change[] }) =>
  changes.map(each => [
    (each.timestamp - start) / HOUR_S,
    each.environment_name,
    each.snapshot_index,
    each.change,
    each.policy_name,
    each.previous_version,
    each.version,
  ])

const ATTACHED_BEFORE = [0, 'prod', 1, 'attached', 'old', null, 1]
const ATTACHED = [1, 'prod', 2, 'attached', 'live', null, 1]
const UPDATED = [2, 'prod', 3, 'updated', 'live', 1, 2]
const DETACHED = [3, 'prod', 4, 'detached', 'old', 1, null]

describe('200', () => {
  it('has every change of the policies, and no snapshot without one', async () => {
    const { status, body } = await read('prod')
    expect(status).toBe(200)
    expect(body).toMatchObject({ environment_name: 'prod', from: start, to: start + 5 * HOUR_S })
    expect(body.known_since).toBe(start)
    expect(summarize(body)).toEqual([ATTACHED_BEFORE, ATTACHED, UPDATED, DETACHED])
  })

  it('has the changes of a period, compared with the snapshot before it', async () => {
    const period = (from: number, to: number) => `from=${start + from * HOUR_S}&to=${start + to * HOUR_S}`
    expect(summarize((await read('prod', period(1.5, 2.5))).body)).toEqual([UPDATED])
    expect(summarize((await read('prod', period(2, 3))).body)).toEqual([UPDATED, DETACHED])
    expect(summarize((await read('prod', period(3.5, 5))).body)).toEqual([])
    expect(summarize((await read('prod', period(-9, -5))).body)).toEqual([])
  })

  it('has the changes in the members of a logical environment, by name', async () => {
    expect(summarize((await read('both')).body)).toEqual([
      ATTACHED_BEFORE,
      ATTACHED,
      UPDATED,
      DETACHED,
      [4, 'other', 2, 'attached', 'live', null, 2],
    ])
  })

  it('is empty before the first report', async () => {
    const { status, body } = await read('silent')
    expect(status).toBe(200)
    expect(body.changes).toEqual([])
  })

  it('has the newest of too many changes, and says since when', async () => {
    await makeEnvironment(app, 'busy')
    await report(app, 'busy', 'a')
    for (let i = 0; i < 101; i++) {
      app.clock.advance(1000)
      await attach(app, 'busy', 'old')
      await detach('busy', 'old')
    }
    const { body } = await read('busy')
    expect(body.changes).toHaveLength(200)
    expect(body.changes.at(-1)).toMatchObject({ change: 'detached', previous_version: 1 })
    expect(body.known_since).toBe(body.changes[0].timestamp)
    expect(body.known_since).toBeGreaterThan(body.from)
  })
})

describe('400', () => {
  it.each([
    ['from=200&to=100', 'from', 'The period should begin before it ends'],
    ['from=soon', 'from', expect.any(String)],
  ])('rejects %s', async (query, field, sentence) => {
    const { status, body } = await read('prod', query)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [`query.${field}`]: sentence })
  })
})

describe('404', () => {
  it('names the environment', async () => {
    const { status, body } = await read('nowhere')
    expect(status).toBe(404)
    expect(body.message).toBe("Environment named 'nowhere' does not exist for organization 'acme'")
  })
})
