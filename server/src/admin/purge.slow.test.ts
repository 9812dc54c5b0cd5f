// A purge permanently removes all rows of deleted orgs and nothing else. One test runs the program as an operator
// would.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drainSharedOrgs, fillOrg, readOrgContent } from '../../test/filled-org.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { until } from '../../test/patience.ts'
import { connectOwner, makeDataDirectory, runProgram, startService } from '../../test/service.ts'
import { isEvidenceReferenced } from '../delivery/store.ts'
import { sweepOnce } from '../delivery/sweep-evidence.ts'
import { makeLog } from '../lib/log.ts'
import { checkIntegrity } from './check.ts'
import { purgeOrgs, type RemovedOrg } from './purge.ts'

const DAY_MS = 86_400_000

let app: TestApp
let acme: Awaited<ReturnType<typeof fillOrg>>
let other: Awaited<ReturnType<typeof fillOrg>>
beforeAll(async () => {
  app = await startTestApp()
  acme = await fillOrg(app, app.admin, 'acme')
  other = await fillOrg(app, app.outsider, 'other-corp')
  await drainSharedOrgs(app)
  await app.sql("update users set default_org_id = $1 where name = 'max'", [acme.org_id])
})
afterAll(() => app.stop())

async function purge(only?: string): Promise<RemovedOrg[]> {
  const removed: RemovedOrg[] = []
  for await (const org of purgeOrgs(app.owner, app.clock.now(), only)) removed.push(org)
  return removed
}

describe('purge', () => {
  it('leaves alone organizations that nobody deleted or that can still be restored', async () => {
    expect(await purge()).toEqual([])
    await expect(purge('acme')).rejects.toThrow('The organization acme is not scheduled for deletion')
    await expect(purge('no-such-org')).rejects.toThrow('There is no organization no-such-org')
    expect((await app.admin.delete('/organizations/acme', { confirm: 'acme' })).status).toBe(200)
    app.clock.advance(14 * DAY_MS - 1)
    expect(await purge()).toEqual([])
    await expect(purge('acme')).rejects.toThrow(
      'The organization acme can be restored until 2026-03-17T12:00:00.000Z',
    )
  })

  it('removes every row of the organization, and of no other', async () => {
    app.clock.advance(1)
    const before = await readOrgContent(app, acme.org_id)
    const others = await readOrgContent(app, other.org_id)
    const rows = Object.fromEntries(Object.entries(before).map(([table, found]) => [table, found.rows]))
    expect(Object.values(rows).every(count => count > 0)).toBe(true)
    await expect(purge('other-corp')).rejects.toThrow('not scheduled for deletion')
    const [checkpoint] = await app.sql('select note from log_cosigned where org_id = $1', [acme.org_id])
    const last_checkpoint = String(checkpoint?.note)
    expect(await purge('acme')).toEqual([{ name: 'acme', org_id: acme.org_id, rows, last_checkpoint }])
    const left = Object.values(await readOrgContent(app, acme.org_id)).map(found => found.rows)
    expect(new Set(left)).toEqual(new Set([0]))
    expect(await readOrgContent(app, other.org_id)).toEqual(others)
    expect(await purge()).toEqual([])
  })

  it('keeps its members, clears it as their default, and frees its name', async () => {
    expect(await app.sql("select default_org_id from users where name = 'max'")).toEqual([
      { default_org_id: null },
    ])
    expect((await app.member.get('/organizations')).status).toBe(200)
    expect((await app.member.post('/organizations', { name: 'acme' })).status).toBe(201)
    expect((await app.admin.get('/flows/acme')).status).toBe(403)
  })

  it('leaves the remaining data consistent', async () => {
    const broken = (await checkIntegrity(app.owner)).filter(({ ok }) => !ok)
    expect(broken).toEqual([])
  })

  it('leaves its attachments to the sweep', async () => {
    const listKept = async () => {
      const found: string[] = []
      for await (const { sha256 } of app.evidence.list()) found.push(sha256)
      return found.sort()
    }
    expect(await isEvidenceReferenced(app.db, acme.org_id, acme.evidence_sha256)).toBe(false)
    expect(await isEvidenceReferenced(app.db, other.org_id, other.evidence_sha256)).toBe(true)
    expect(await listKept()).toEqual([acme.evidence_sha256, other.evidence_sha256].sort())
    const real_now = (await app.sql('select now() as now'))[0]?.now as Date
    const clock = { now: () => new Date(real_now.getTime() + 2 * DAY_MS), monotonic_ms: () => 0 }
    await sweepOnce({ db: app.db, evidence: app.evidence, log: makeLog('silent'), clock })
    expect(await listKept()).toEqual([other.evidence_sha256])
  })
})

describe('admin org purge', () => {
  it('reports what it removed, while the service is running', async () => {
    const data_dir = makeDataDirectory()
    const runAdmin = (...args: string[]) => runProgram(['admin', ...args], { data_dir })
    const { key, call } = await startService({ data_dir, env: { WAYBILL_LOG_LEVEL: 'error' } })
    for (const name of ['gone', 'also-gone', 'waiting']) {
      expect((await call('POST', '/api/v2/organizations', { key, body: { name } })).status).toBe(201)
      const path = `/api/v2/organizations/${name}`
      expect((await call('DELETE', path, { key, body: { confirm: name } })).status).toBe(200)
    }
    expect(await runAdmin('org', 'purge')).toEqual({ code: 0, stdout: 'nothing to remove\n', stderr: '' })
    const owner = await connectOwner(data_dir)
    await owner.query("update orgs set delete_after = now() where name in ('gone', 'also-gone')")
    const hasCheckpoint = "select from log_checkpoints c join orgs o using (org_id) where o.name = 'gone'"
    await until(async () => (await owner.query(hasCheckpoint)).rowCount === 1)
    const one = await runAdmin('org', 'purge', 'gone')
    expect(one).toMatchObject({ code: 0, stderr: '' })
    expect(one.stdout).toMatch(/^removed organization gone\n/)
    expect(one.stdout).toMatch(/^ +1 {2}orgs$/m)
    expect(one.stdout).toMatch(/^The last checkpoint of its log, to be kept:\n\S+\n\d+\n\S+\n\n— /m)
    const refused = await runAdmin('org', 'purge', 'waiting')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^The organization waiting can be restored until .*\n$/)
    const rest = JSON.parse((await runAdmin('org', 'purge', '--json')).stdout)
    expect(rest.removed.map(({ name }: RemovedOrg) => name)).toEqual(['also-gone'])
    const { rows } = await owner.query("select name from orgs where name in ('gone', 'also-gone', 'waiting')")
    await owner.end()
    expect(rows).toEqual([{ name: 'waiting' }])
    const check = await runAdmin('check', '--json')
    expect([check.code, JSON.parse(check.stdout).ok]).toEqual([0, true])
    expect((await call('GET', '/api/v2/flows/demo-org', { key })).status).toBe(200)
  })
})
