// At start, a database that a newer version has migrated is rejected, and so is one whose applied migrations differ
// from the shipped ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { migrate, readMigrationState, SchemaProblem } from './migrate.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

/** Runs `work` with a table of applied migrations as another version would have left it, then restores the table. */
async function withChangedMigrations(
  change: string,
  restore: string,
  work: () => Promise<void>,
): Promise<void> {
  await app.sql(change)
  try {
    await work()
  } finally {
    await app.sql(restore)
  }
}

describe('a database', () => {
  it('that has every migration is left unchanged', async () => {
    expect(await migrate(app.owner)).toEqual([])
    expect((await readMigrationState(app.owner)).pending).toEqual([])
  })

  it('with a migration that was edited later is rejected, naming the migration', async () => {
    const name = '0100_schema'
    const [row] = await app.sql('select sha256 from schema_migrations where name = $1', [name])
    await withChangedMigrations(
      `update schema_migrations set sha256 = repeat('0', 64) where name = '${name}'`,
      `update schema_migrations set sha256 = '${row?.sha256}' where name = '${name}'`,
      async () => {
        const refused = await migrate(app.owner).catch(error => error)
        expect(refused).toBeInstanceOf(SchemaProblem)
        expect(refused.message).toBe(
          `Migration ${name} was edited after it had been applied to this database`,
        )
      },
    )
    expect(await migrate(app.owner)).toEqual([])
  })

  it('of a newer version is rejected, naming the migration', async () => {
    const name = '9999_of_tomorrow.sql'
    await withChangedMigrations(
      `insert into schema_migrations (name, sha256) values ('${name}', repeat('0', 64))`,
      `delete from schema_migrations where name = '${name}'`,
      async () => {
        const refused = await migrate(app.owner).catch(error => error)
        expect(refused).toBeInstanceOf(SchemaProblem)
        expect(refused.message).toBe(
          `The database was migrated by a newer Waybill (${name}); update this one`,
        )
      },
    )
  })
})
