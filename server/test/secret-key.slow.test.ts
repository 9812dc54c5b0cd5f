// The secret key of a database: a start with a different key is refused before it does anything.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeSealer } from '../src/lib/sealer.ts'
import { WEBHOOK_ADDRESS } from '../src/notifications/purposes.ts'
import { createDatabase, makeDataDirectory, makeScratchFolder, runProgram, startService } from './service.ts'

const RIGHT = 'the right key, which is long enough'
const WRONG = 'another key, which is as long as it'

const buildEnv = (url: string, key: string) => ({
  DATABASE_URL: url,
  WAYBILL_SECRET_KEY: key,
  WAYBILL_DNS_SERVER: '127.0.0.1:9',
})

async function startOnce(url: string, key: string): Promise<void> {
  const service = await startService({ data_dir: makeScratchFolder(), env: buildEnv(url, key) })
  service.signal('SIGTERM')
  expect((await service.ended).code).toBe(0)
}

async function expectRefused(url: string, key: string, role = 'all'): Promise<void> {
  const env = { ...buildEnv(url, key), WAYBILL_ROLE: role, PORT: '0' }
  const { code, stdout, stderr } = await runProgram(['serve'], { data_dir: makeScratchFolder(), env })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(
    'WAYBILL_SECRET_KEY is not the key that the secrets in this database were sealed with; set the key of the first ' +
      'start. If it is lost, see "A lost secret key" in docs/operate/back-up.md\n',
  )
}

describe('another WAYBILL_SECRET_KEY', () => {
  it('is refused by every role, and the right one still works', async () => {
    const { url, owner } = await createDatabase()
    await startOnce(url, RIGHT)
    for (const role of ['all', 'serve', 'work']) await expectRefused(url, WRONG, role)
    await startOnce(url, RIGHT)
    expect((await owner.query('select count(*)::int as n from secret_check')).rows).toEqual([{ n: 1 }])
  })

  it('is accepted after the operator discarded the sealed secrets', async () => {
    const { url, owner } = await createDatabase()
    await startOnce(url, RIGHT)
    await owner.query(
      'insert into secret_check (sealed) values (null) on conflict (only_row) do update set sealed = null',
    )
    await startOnce(url, WRONG)
    await expectRefused(url, RIGHT)
  })

  it('is refused by a database from before the check, because of its sealed secrets', async () => {
    const { url, owner } = await createDatabase()
    await startOnce(url, RIGHT)
    await owner.query('delete from secret_check')
    await owner.query(
      `with made as (
         insert into notifications (org_id, notification_id, number, name, triggers, created_by, created_at,
                                    last_modified_at)
         select org_id, gen_random_uuid(), 1, 'n', '{ON_COMPLIANT_ENV}', 'x', now(), now()
         from orgs limit 1 returning org_id, notification_id
       )
       insert into notification_targets (org_id, target_id, notification_id, position, type, webhook_sealed, created_at)
       select org_id, gen_random_uuid(), notification_id, 0, 'WEBHOOK', $1, now() from made`,
      [makeSealer(RIGHT).seal(WEBHOOK_ADDRESS, 'https://hooks.example.com')],
    )
    await expectRefused(url, WRONG)
    await startOnce(url, RIGHT)
  })
})

it('the missing key file of the data directory is named', async () => {
  const data_dir = makeDataDirectory()
  const service = await startService({ data_dir })
  service.signal('SIGTERM')
  expect((await service.ended).code).toBe(0)
  rmSync(join(data_dir, 'secret-key'))
  const { code, stderr } = await runProgram(['serve'], { data_dir, env: { PORT: '0' } })
  expect(code).toBe(1)
  expect(stderr).toContain(`${join(data_dir, 'secret-key')} is not the key that`)
})
