// `admin check` finds each kind of problem that it looks for. check-environments.test.ts covers environments.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { checkIntegrity } from './check.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

const findBroken = async () => (await checkIntegrity(app.owner)).filter(({ ok }) => !ok)

describe('the check', () => {
  it('runs seven checks on the database', async () => {
    expect((await checkIntegrity(app.owner)).map(({ check }) => check)).toEqual([
      'every migration is applied',
      'every table is guarded by row-level security',
      'every trail has the event that began it',
      'every trail has the state its template and evidence give it',
      'every environment has its snapshots from 1 to the latest',
      'every running artifact has one open interval and one verdict',
      'every running artifact has the verdict its policies and evidence give it',
    ])
    expect(await findBroken()).toEqual([])
  })

  it('finds a pending migration, and then skips the other checks', async () => {
    const [latest] = await app.sql('select name, sha256 from schema_migrations order by name desc limit 1')
    await app.sql('delete from schema_migrations where name = $1', [latest?.name])
    const results = await checkIntegrity(app.owner)
    await app.sql('insert into schema_migrations (name, sha256) values ($1, $2)', [
      latest?.name,
      latest?.sha256,
    ])
    expect(results).toEqual([{ check: 'every migration is applied', ok: false, found: [latest?.name] }])
  })

  it.each([
    [
      'a table without row-level security',
      'alter table flows disable row level security',
      'alter table flows enable row level security',
      'every table is guarded by row-level security',
    ],
    [
      'a trail without the event that began it',
      "update events set kind = 'trail_updated' where kind = 'trail_reported'",
      "update events set kind = 'trail_reported' where kind = 'trail_updated'",
      'every trail has the event that began it',
    ],
    [
      'a trail with a wrong state',
      "update trails set compliance_state = 'NON-COMPLIANT'",
      "update trails set compliance_state = 'COMPLIANT'",
      'every trail has the state its template and evidence give it',
    ],
  ])('finds %s', async (_case, corrupt, repair, check) => {
    await app.sql(corrupt)
    const found = await findBroken()
    await app.sql(repair)
    expect(found).toEqual([{ check, ok: false, found: [expect.stringMatching(/flows|run/)] }])
    expect(await findBroken()).toEqual([])
  })
})
