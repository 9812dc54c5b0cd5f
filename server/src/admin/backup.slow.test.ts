// Backup and restore as an operator runs them: backing up a service that is being written to, and restoring into a data
// directory that does not exist yet.
import { createHash, randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../test/patience.ts'
import { startS3Server } from '../../test/s3-server.ts'
import {
  addCleanUp,
  connectOwner,
  createDatabase,
  makeDataDirectory,
  makeScratchFolder,
  runProgram,
  type Service,
  startService,
} from '../../test/service.ts'
import { openDiskEvidence } from '../evidence/disk.ts'
import type { Manifest } from './backup-manifest.ts'

const ODD_JSON = '{ "b" : 1.50,\n "a":"\\u00e9", "a" : "line\u2028end" }'
const EVIDENCE = 'e'.repeat(100_000)
const hashText = (text: string) => createHash('sha256').update(text).digest('hex')

let source: string
let target: string
let backup: string
let service: Service
let manifest: Manifest

const runAdmin = (data_dir: string, ...args: string[]) => runProgram(['admin', ...args], { data_dir })
const begin = (name: string) =>
  service.call('PUT', '/api/v2/trails/demo-org/ci', { key: service.key, body: { name } })

beforeAll(async () => {
  source = makeDataDirectory()
  target = makeDataDirectory()
  backup = join(makeScratchFolder(), 'backup')
  service = await startService({ data_dir: source })
  const body = { name: 'ci', description: '' }
  await service.call('PUT', '/api/v2/flows/demo-org', { key: service.key, body })
  for (let i = 0; i < 50; i++) expect((await begin(`before-${i}`)).status).toBe(201)
  await addOddRows()
  await untilSigned()
})

/** The backup then has a checkpoint of every log. */
async function untilSigned(): Promise<void> {
  const owner = await connectOwner(source)
  const unsigned = 'select from log_heads h left join log_checkpoints c using (org_id) where c.org_id is null'
  await until(async () => (await owner.query(unsigned)).rowCount === 0)
  await owner.end()
}

/** Values that the API would reject today, and two attestations that share one evidence file. */
async function addOddRows(): Promise<void> {
  const owner = await connectOwner(source)
  await owner.query("update trails set user_data = $1 where name = 'before-0'", [ODD_JSON])
  await owner.query("update trails set user_data = 'null' where name = 'before-1'")
  await owner.query(
    "update trails set description = E'tab\\t, line\\nend, \\\\ and \"quotes\"' where name = 'before-2'",
  )
  const { rows } = await owner.query("select org_id, flow_id, trail_id from trails where name = 'before-0'")
  const { org_id, flow_id, trail_id } = rows[0]
  const attest = (sha256: string) =>
    owner.query(
      `insert into attestations (org_id, attestation_id, flow_id, trail_id, target_artifacts, attestation_name,
         attestation_type, is_compliant, report, evidence_sha256, evidence_name, evidence_bytes, reported_by, created_at)
       values ($1, $2, $3, $4, array['a,b', 'c"d', null], 'tests', 'generic', true, '{}', $5, 'x.xml', 1, 'me', $6)`,
      [org_id, randomUUID(), flow_id, trail_id, sha256, new Date()],
    )
  const root = join(source, 'evidence')
  const store = await openDiskEvidence({ root, newName: randomUUID, now: new Date() })
  await (await store.stage(org_id, 'x.xml', Readable.from([EVIDENCE]))).keep()
  await attest(hashText(EVIDENCE))
  await attest(hashText(EVIDENCE))
  await owner.end()
}

describe('a backup of a running service', () => {
  it('is complete and private, while the service is written to', async () => {
    let writing = true
    const answers: number[] = []
    const writer = (async () => {
      while (writing) answers.push((await begin(`during-${answers.length}`)).status)
    })()
    const made = await runAdmin(source, 'backup', backup, '--json')
    writing = false
    await writer
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(new Set(answers)).toEqual(new Set([201]))
    manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
    expect(manifest.evidence).toEqual({ objects: 1, bytes: EVIDENCE.length, lost: [] })
    expect(countRows('trails')).toBeGreaterThanOrEqual(50)
    expect(countRows('attestations')).toBe(2)
    expect((statSync(backup).mode & 0o777).toString(8)).toBe('700')
    expect((statSync(join(backup, 'personal_keys.ndjson')).mode & 0o777).toString(8)).toBe('600')
  })

  it('does not write into a folder that is not empty', async () => {
    const again = await runAdmin(source, 'backup', backup)
    expect(again).toEqual({ code: 1, stdout: '', stderr: `${backup} is not empty\n` })
  })

  it('cannot be restored into a database that is not empty', async () => {
    const refused = await runAdmin(source, 'restore', backup)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^The database is not empty .*\n$/)
  })
})

describe('a restore', () => {
  it.each([
    ['a changed file', 'trails.ndjson', 'was changed after the backup was made'],
    ['a missing file', 'events.ndjson', 'cannot be read'],
    ['a missing manifest', 'manifest.json', 'not a complete backup'],
  ])('rejects %s before it changes anything', async (damage, name, message) => {
    const path = join(backup, name)
    const content = readFileSync(path)
    if (damage === 'a changed file') appendFileSync(path, ' ')
    else rmSync(path)
    const refused = await runAdmin(target, 'restore', backup)
    writeFileSync(path, content)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(message)
  })

  it('rejects damaged evidence, and then stores no rows', async () => {
    const [org = ''] = await listOrgsWithEvidence()
    const path = join(backup, 'evidence', org, hashText(EVIDENCE).slice(0, 2), hashText(EVIDENCE))
    writeFileSync(path, 'other')
    const refused = await runAdmin(target, 'restore', backup)
    writeFileSync(path, EVIDENCE)
    expect(refused.stderr).toMatch(/^The evidence .* of the backup is damaged\n$/)
  })

  it('restores the same rows and evidence: a backup of the result is identical', async () => {
    const restored = await runAdmin(target, 'restore', backup)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(restored.stdout).toContain('ok      every attachment is in the evidence store')
    expect(restored.stdout).toMatch(
      /^ {10}demo-org: checkpoints were signed, and the evidence store does not have the newest one\n[\s\S]*: waybill admin log reopen ORG --reason TEXT\n$/m,
    )
    const second = join(makeScratchFolder(), 'second')
    expect((await runAdmin(target, 'backup', second)).code).toBe(0)
    const { tables, evidence, migrations } = JSON.parse(readFileSync(join(second, 'manifest.json'), 'utf8'))
    expect({ tables, evidence, migrations }).toEqual({
      tables: manifest.tables,
      evidence: manifest.evidence,
      migrations: manifest.migrations,
    })
  })

  it('also works with an external database and a bucket', async () => {
    const bucket = await startS3Server('evidence')
    addCleanUp(bucket.stop)
    const { url, owner } = await createDatabase()
    const env = {
      DATABASE_URL: url,
      WAYBILL_EVIDENCE_URL: `s3://id:secret@evidence/kept?endpoint=${bucket.endpoint}`,
    }
    const org_id = await findOrgId('demo-org')
    bucket.objects.set(`kept/log/${org_id}/1-0000000000009999`, {
      content: Buffer.alloc(0),
      modified: new Date(),
    })
    const restored = await runProgram(['admin', 'restore', backup, '--json'], {
      data_dir: makeScratchFolder(),
      env,
    })
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(restored.stdout)).toMatchObject({
      ok: true,
      lost_logs: expect.arrayContaining([
        {
          org: 'demo-org',
          reason: expect.stringMatching(
            /^the log has \d+ leaves, and a checkpoint of 9999 leaves was signed$/,
          ),
        },
      ]),
    })
    const { rows } = await owner.query('select count(*)::int as n from trails')
    expect(rows[0]?.n).toBe(countRows('trails'))
    const objects = [...bucket.objects.keys()].filter(key => !/\/(ready-probe|log)\b/.test(key))
    expect(objects.map(key => key.slice(-64))).toEqual([hashText(EVIDENCE)])
    const check = await runProgram(['admin', 'check', '--evidence'], { data_dir: makeScratchFolder(), env })
    expect(check).toMatchObject({ code: 0, stderr: '' })
  })

  it('serves everything acknowledged before the backup, with the same keys', async () => {
    const { key } = service
    service.signal('SIGTERM')
    await service.ended
    service = await startService({ data_dir: target })
    expect(service.key).toBeUndefined()
    for (const name of ['before-0', 'before-49']) {
      expect((await service.call('GET', `/api/v2/trails/demo-org/ci/${name}`, { key })).status).toBe(200)
    }
    const owner = await connectOwner(target)
    const { rows } = await owner.query(
      "select name, user_data::text, user_data is null as is_null from trails where name ~ '^before-[013]$' order by 1",
    )
    await owner.end()
    expect(rows).toEqual([
      { name: 'before-0', user_data: ODD_JSON, is_null: false },
      { name: 'before-1', user_data: 'null', is_null: false },
      { name: 'before-3', user_data: null, is_null: true },
    ])
  })

  it('leaves evidence that a check can find missing or damaged', async () => {
    const [org = ''] = await listOrgsWithEvidence()
    const path = join(target, 'evidence', org, hashText(EVIDENCE).slice(0, 2), hashText(EVIDENCE))
    expect(existsSync(path)).toBe(true)
    writeFileSync(path, 'other')
    expect((await runAdmin(target, 'check')).code).toBe(0)
    expect((await runAdmin(target, 'check', '--evidence')).stdout).toMatch(/^BROKEN .*matches its hash$/m)
    rmSync(path)
    expect((await runAdmin(target, 'check')).stdout).toMatch(/^BROKEN .*in the evidence store$/m)
    mkdirSync(join(makeScratchFolder(), 'lossy'))
    const lossy = await runAdmin(target, 'backup', join(makeScratchFolder(), 'lossy'))
    expect(lossy.code).toBe(1)
    expect(lossy.stdout).toContain(`LOST    evidence ${org}/${hashText(EVIDENCE)}`)
  })
})

it('copies everything: the schema has no sequences, materialized views or foreign tables', async () => {
  const owner = await connectOwner(target)
  const { rows } = await owner.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('S', 'm', 'f')",
  )
  await owner.end()
  expect(rows).toEqual([])
})

async function findOrgId(name: string): Promise<string> {
  const owner = await connectOwner(source)
  const { rows } = await owner.query('select org_id from orgs where name = $1', [name])
  await owner.end()
  return rows[0]?.org_id
}

function countRows(name: string): number {
  return manifest.tables.find(table => table.name === name)?.rows ?? 0
}

async function listOrgsWithEvidence(): Promise<string[]> {
  const store = await openDiskEvidence({
    root: join(backup, 'evidence'),
    newName: randomUUID,
    now: new Date(),
  })
  const found: string[] = []
  for await (const { org_id } of store.list()) found.push(org_id)
  return found
}
