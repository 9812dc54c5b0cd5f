// Several processes evaluate at the same time: each takes environments that no other is working on, the organizations
// take turns, and nothing stays pending for archived environments.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildPodReport, buildPolicyRequiring } from './environments.ts'
import { makeTestRound } from './evaluate-all.ts'
import { type Client, startTestApp, type TestApp } from './harness.ts'
import { countWaiting, stopInserts, untilWaiting } from './locks.ts'

const ENVIRONMENTS = ['first', 'second', 'third']
const A_SECOND_MS = 1_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ENVIRONMENTS) await prepare(app.admin, 'acme', name)
  await prepare(app.outsider, 'other-corp', 'live')
  await app.evaluate()
})
afterAll(() => app.stop())
beforeEach(() => {
  app.clock.advance(A_SECOND_MS)
})

async function prepare(client: Client, org: string, name: string): Promise<void> {
  await client.put(`/environments/${org}`, { name, type: 'K8S', description: '' })
  await client.put(`/environments/${org}/${name}/report/K8S`, buildPodReport('a'))
  await putPolicy(client, org, 'zero')
  const attached = await client.post(`/environments/${org}/${name}/policies`, { policy_names: ['rules'] })
  expect(attached.status).toBeLessThan(300)
}

/** Another version makes every environment pending, and each evaluation takes a snapshot. */
const putPolicy = (client: Client, org: string, required: string) =>
  client.put(`/policies/${org}`, { name: 'rules', policy_yaml: buildPolicyRequiring(required) })

/** The names of the environments with pending evaluations. */
async function listPending(): Promise<unknown[]> {
  const rows = await app.sql(
    'select distinct e.name from pending_judgements join environments e using (org_id, environment_id) order by 1',
  )
  return rows.map(({ name }) => name)
}

/** Removes the block again: it belongs to one test. */
async function removeStop(): Promise<void> {
  await app.sql('drop trigger stop_here on snapshots')
  await app.sql('drop function stop_here')
}

describe('three loops', () => {
  it('evaluate three environments at the same time', async () => {
    await putPolicy(app.admin, 'acme', 'one')
    app.clock.advance(A_SECOND_MS)
    const proceed = await stopInserts(app, { table: 'snapshots', at: 'insert' })
    const rounds = ENVIRONMENTS.map(() => makeTestRound(app)())
    await untilWaiting(app, ENVIRONMENTS.length)
    // Each has got as far as its snapshot, so that none of them waits for the row of another.
    const stopped = await app.sql(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`)
    expect(stopped.length).toBe(ENVIRONMENTS.length)
    await proceed()
    await Promise.all(rounds)
    expect(await listPending()).toEqual([])
    await removeStop()
  })

  it('do not wait for an environment that is in use, and evaluate it afterwards', async () => {
    await putPolicy(app.admin, 'acme', 'two')
    app.clock.advance(A_SECOND_MS)
    await app.owner.query('begin')
    await app.sql("select from environments where name = 'second' for no key update")
    await Promise.all([makeTestRound(app)(), makeTestRound(app)(), makeTestRound(app)()])
    expect(await listPending()).toEqual(['second'])
    expect(await countWaiting(app)).toBe(0)
    await app.owner.query('rollback')
    await makeTestRound(app)()
    expect(await listPending()).toEqual([])
  })
})

describe('the organizations', () => {
  it('take turns: one with many pending environments does not delay another', async () => {
    await putPolicy(app.admin, 'acme', 'three')
    app.clock.advance(A_SECOND_MS)
    await putPolicy(app.outsider, 'other-corp', 'three')
    app.clock.advance(A_SECOND_MS)
    const [first] = await app.sql(
      "select e.environment_id from environments e join orgs using (org_id) where orgs.name = 'acme' order by 1",
    )
    const [other] = await app.sql("select environment_id from environments where name = 'live'")
    const others = `new.environment_id not in ('${first?.environment_id}', '${other?.environment_id}')`
    const proceed = await stopInserts(app, { table: 'snapshots', at: 'insert', where: others })
    const round = makeTestRound(app)()
    await untilWaiting(app, 1)
    expect(await listPending()).not.toContain('live')
    await proceed()
    await round
    expect(await listPending()).toEqual([])
    await removeStop()
  })

  it('get all their environments evaluated in one round, however many there are', async () => {
    const many = Array.from({ length: 20 }, (_, i) => `many-${i}`)
    for (const name of many) await prepare(app.admin, 'acme', name)
    await putPolicy(app.admin, 'acme', 'four')
    app.clock.advance(A_SECOND_MS)
    expect((await listPending()).length).toBeGreaterThan(many.length)
    await makeTestRound(app)()
    expect(await listPending()).toEqual([])
  })
})

describe('what becomes pending during a round', () => {
  it('is evaluated in it, although its environment had its turn already', async () => {
    await putPolicy(app.outsider, 'other-corp', 'five')
    app.clock.advance(A_SECOND_MS)
    await putPolicy(app.admin, 'acme', 'five')
    app.clock.advance(A_SECOND_MS)
    const [stopAt] = await app.sql("select environment_id from environments where name = 'many-0'")
    const where = `new.environment_id = '${stopAt?.environment_id}'`
    const proceed = await stopInserts(app, { table: 'snapshots', at: 'insert', where })
    const round = makeTestRound(app)()
    await untilWaiting(app, 1)
    await putPolicy(app.outsider, 'other-corp', 'six')
    app.clock.advance(300)
    await proceed()
    await round
    expect(await listPending()).toEqual([])
    await removeStop()
  })
})

describe('an archived environment', () => {
  it('has nothing pending after the next round, and no snapshot from it', async () => {
    await putPolicy(app.admin, 'acme', 'seven')
    expect((await app.admin.put('/environments/acme/third/archive')).status).toBe(200)
    const countSnapshots = async () =>
      (
        await app.sql(`select from snapshots join environments e using (org_id, environment_id)
        where e.name = 'third'`)
      ).length
    const before = await countSnapshots()
    expect(await listPending()).toContain('third')
    app.clock.advance(A_SECOND_MS)
    await Promise.all([makeTestRound(app)(), makeTestRound(app)()])
    expect([await listPending(), await countSnapshots()]).toEqual([[], before])
  })
})
