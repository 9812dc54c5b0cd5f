// A frozen organization: every reading operation works, every writing one gets 503 and changes nothing, and
// background work leaves it alone. Frozen through the code of `admin org freeze`, observed through the API.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freezeOrg, markMoved, thawOrg } from '../src/admin/freeze.ts'
import { operations } from '../src/api/operations.ts'
import { listOrgTables, readOrgLines } from '../src/db/org-copy.ts'
import { claimJobs } from '../src/delivery/outbox.ts'
import { listPendingEnvironments } from '../src/evaluation/pending-store.ts'
import { makeIds } from '../src/lib/ids.ts'
import { ORG, OTHER_ORG, startTestApp, type TestApp } from './harness.ts'
import { buildPathFor, prepareFor } from './prepare-operation.ts'

let app: TestApp
let org_id: string
const tools = () => ({ owner: app.owner, clock: app.clock, ids: makeIds(app.clock) })

beforeAll(async () => {
  app = await startTestApp()
  for (const { contract } of operations) await prepareFor(contract, app)
  org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  await finishJobs()
  await freezeOrg(tools(), ORG, 'test')
})
afterAll(() => app.stop())

/** The tests' clock stands still, so a lease would never end. */
const finishJobs = () => app.sql('update outbox set lease_until = null')

/** Every row of the org, as an export would have it. */
async function readAllRows(): Promise<string> {
  await app.owner.query('begin')
  const lines: string[] = []
  for (const table of await listOrgTables(app.owner)) {
    for await (const batch of readOrgLines(app.owner, table, org_id, {})) lines.push(table.name, ...batch)
  }
  await app.owner.query('rollback')
  return lines.join('\n')
}

const inOrg = operations.filter(({ contract }) => contract.path.includes('{org}'))

describe('every operation of a frozen organization', () => {
  it('works as before if it reads, returns 503 if it writes, and changes nothing', async () => {
    const before = await readAllRows()
    const refused: string[] = []
    for (const { contract } of inOrg) {
      const { body, query } = contract.example ?? {}
      const search = new URLSearchParams(query).toString()
      const path = buildPathFor(contract, ORG, app) + (search === '' ? '' : `?${search}`)
      const answer = await app.admin.call(contract.method, path, body ?? undefined)
      // Other limits also return 503, such as a name server that does not respond.
      if (answer.status !== 503 || !answer.body.message.includes('is being moved')) continue
      refused.push(contract.id)
      expect(answer.headers['retry-after'], contract.id).toBe('2')
    }
    expect(await readAllRows()).toBe(before)
    const writes = inOrg.filter(({ contract }) => String(contract.audit).startsWith('none') === false)
    const reads = inOrg.filter(
      ({ contract }) => contract.method === 'GET' && String(contract.audit).startsWith('none'),
    )
    expect(reads.map(({ contract }) => contract.id).filter(id => refused.includes(id))).toEqual([])
    expect(refused.length).toBeGreaterThan(writes.length / 2)
  })

  it('leaves other organizations alone', async () => {
    const flow = { name: 'ci', description: '' }
    expect((await app.outsider.put(`/flows/${OTHER_ORG}`, flow)).status).toBe(201)
  })
})

describe('background work', () => {
  it('claims none of its jobs and evaluates nothing in it', async () => {
    await app.sql('update outbox set finished_at = null, due_at = $1, lease_until = null', [new Date(0)])
    const now = new Date(app.clock.now().getTime() + 1_000)
    const places = {
      limit: 100,
      max_per_sponsor: 100,
      max_per_target: 100,
      busy: {},
      busy_orgs: {},
      busy_targets: {},
    }
    const jobs = await claimJobs(app.db, { now, lease_until: now, probe_until: now, ...places })
    expect(jobs.filter(job => job.org_id === org_id)).toEqual([])
    await app.sql(
      'insert into pending_judgements (org_id, mark_id, environment_id, cause, actor, marked_at) select org_id, gen_random_uuid(), environment_id, $2, $2, $1 from environments',
      [new Date(0), 'x'],
    )
    const all = await listPendingEnvironments(app.db, { before: now, except: [], most_per_sponsor: 100 })
    expect(all.filter(row => row.org_id === org_id)).toEqual([])
  })
})

describe('freezing', () => {
  it('returns only when earlier transactions have ended', async () => {
    await thawOrg(tools(), ORG)
    await finishJobs()
    const order: string[] = []
    let finish = () => {}
    const open = new Promise<void>(resolve => {
      finish = resolve
    })
    let begun = () => {}
    const hasBegun = new Promise<void>(resolve => {
      begun = resolve
    })
    const update = {
      name: 'x',
      text: 'update flows set description = $2 where org_id = $1',
      values: [org_id, 'late'],
    }
    const writing = app.db
      .withTransaction({ org_id }, async tx => {
        await tx.runSteps([update])
        begun()
        await open
        await tx.runSteps([update])
      })
      .then(() => order.push('written'))
    await hasBegun
    const freezing = freezeOrg(tools(), ORG, 'test').then(() => order.push('frozen'))
    await expect
      .poll(async () => (await app.member.put(`/flows/${ORG}`, { name: 'new', description: '' })).status)
      .toBe(503)
    finish()
    await Promise.all([writing, freezing])
    expect(order).toEqual(['written', 'frozen'])
  })
})

describe('a moved organization', () => {
  it('returns 503 for reads and writes, until it is thawed', async () => {
    await markMoved(tools(), ORG, 'us')
    for (const answer of [
      await app.member.get(`/flows/${ORG}`),
      await app.member.put(`/flows/${ORG}`, { name: 'new', description: '' }),
    ]) {
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5'])
      expect(answer.body.message).toContain('has moved to another cell')
    }
    await thawOrg(tools(), ORG)
    expect((await app.member.put(`/flows/${ORG}`, { name: 'after', description: '' })).status).toBe(201)
    expect((await app.readEvents('org_thawed')).length).toBe(2)
  })
})
