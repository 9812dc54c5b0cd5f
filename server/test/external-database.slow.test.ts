// An operator's PostgreSQL that Waybill cannot use: every command explains why in one line and changes nothing.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createDatabase, makeScratchFolder, runProgram } from './service.ts'

/** Makes the server claim to be version 14. */
const PRETENDS_TO_BE_14 = `
  create schema pretence;
  create function pretence.current_setting(name text) returns text return
    case name
      when 'server_version' then '14.12'
      when 'server_version_num' then '140012'
      else pg_catalog.current_setting(name)
    end`

describe('the encoding', () => {
  it('LATIN1 is refused by every command', async () => {
    const folder = join(makeScratchFolder(), 'copy')
    await expectRefusals(await createDatabase('template0', buildOptions('LATIN1')), buildRefusal('LATIN1'), [
      ['serve'],
      ['demo'],
      ['admin', 'migrate'],
      ['admin', 'check'],
      ['admin', 'backup', folder],
      ['admin', 'user', 'create', 'mira', '--email', 'mira@example.com'],
    ])
    expect(existsSync(folder)).toBe(false)
  })

  it('SQL_ASCII is refused, which is no encoding at all', async () => {
    await expectRefusals(
      await createDatabase('template0', buildOptions('SQL_ASCII')),
      buildRefusal('SQL_ASCII'),
      [['serve']],
    )
  })

  it('UTF8 is accepted, in a database created as the message recommends', async () => {
    const { url } = await createDatabase('template0', "encoding 'UTF8'")
    const migrated = await runProgram(['admin', 'migrate'], {
      data_dir: makeScratchFolder(),
      env: { DATABASE_URL: url },
    })
    expect([migrated.stderr, migrated.code]).toEqual(['', 0])
  })
})

describe('the version', () => {
  it('14 is refused', async () => {
    const database = await createDatabase()
    await database.owner.query(PRETENDS_TO_BE_14)
    const { rows } = await database.owner.query('select current_database() as name')
    await database.owner.query(
      `alter database ${rows[0].name} set search_path to pretence, pg_catalog, public`,
    )
    await expectRefusals(
      database,
      'DATABASE_URL points to PostgreSQL 14.12, which is too old: use version 15 or newer\n',
      [['serve'], ['admin', 'check']],
    )
  })
})

const buildOptions = (encoding: string) => `encoding '${encoding}' locale_provider libc locale 'C'`

const buildRefusal = (encoding: string) =>
  `The database of DATABASE_URL has the encoding ${encoding}, but Waybill needs UTF8: ` +
  `use a database that was created with "encoding 'UTF8' template template0"\n`

async function expectRefusals(
  { url, owner }: { url: string; owner: pg.Client },
  sentence: string,
  commands: string[][],
): Promise<void> {
  const data_dir = join(makeScratchFolder(), 'data')
  for (const args of commands) {
    const refused = await runProgram(args, { data_dir, env: { DATABASE_URL: url, PORT: '0' } })
    expect(refused, args.join(' ')).toEqual({ code: 1, stdout: '', stderr: sentence })
  }
  const written = await owner.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace",
  )
  expect(written.rows).toEqual([])
  expect(existsSync(data_dir)).toBe(false)
}
