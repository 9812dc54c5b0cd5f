// Everything that iterates over the evidence includes each file of an attestation: the log, its check, erasure,
// quotas, the sweep, `admin check`, exports and audit packages.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { listReferencedEvidence } from '../src/admin/evidence-store.ts'
import { listOrgEvidence } from '../src/admin/org-people-store.ts'
import { listAttachments } from '../src/api/orgs/export-store.ts'
import { makeOwnerDb } from '../src/db/owner.ts'
import { isEvidenceReferenced } from '../src/delivery/store.ts'
import { sweepOnce } from '../src/delivery/sweep-evidence.ts'
import { replay } from '../src/domain/log/replay.ts'
import { makeLog } from '../src/lib/log.ts'
import { findLogProblems } from '../src/log/check.ts'
import { formatStoredLeaf } from '../src/log/check-leaf.ts'
import { listLeavesWithEvents } from '../src/log/check-store.ts'
import { attestFiles, hashOf, type SentFile } from './evidence-forms.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'

const TRAIL = `/attestations/${ORG}/ci/trail/run`
const DAY_MS = 24 * 60 * 60 * 1000
const CONTENT = 'content that is sent compressed '.repeat(100)
const PACKED = gzipSync(CONTENT)
const FILES: SentFile[] = [
  { name: 'one.txt', content: 'one' },
  { name: 'two.txt', content: PACKED, headers: ['Content-Encoding: gzip', 'Content-Type: text/plain'] },
  { name: 'one.txt', content: 'three' },
]
const OBJECTS = [hashOf('one'), hashOf(PACKED), hashOf('three')]
const CONTENTS = [hashOf('one'), hashOf(CONTENT), hashOf('three')]

let app: TestApp
let org_id: string
let index: number
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put(`/flows/${ORG}`, { name: 'ci', description: '' })
  await app.member.put(`/trails/${ORG}/ci`, { name: 'run' })
  const { status, headers } = await attestFiles(app.member, TRAIL, 'several', FILES)
  expect(status).toBe(201)
  index = Number(/^index=(\d+)/.exec(String(headers['waybill-log']))?.[1])
  org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  return () => app.stop()
})

const findProblems = () => findLogProblems(makeOwnerDb(app.owner))
const readUsage = async () =>
  Number((await app.sql('select evidence_bytes::int as n from org_usage where org_id = $1', [org_id]))[0]?.n)

async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of list) found.push(item)
  return found
}

describe('the log', () => {
  it('finds the attestation by the content of each file', async () => {
    const [head] = await app.sql('select tag_key from log_heads where org_id = $1', [org_id])
    const rows = await listLeavesWithEvents(makeOwnerDb(app.owner), {
      org_id,
      epoch: 1,
      from: 0,
      limit: 1000,
    })
    const leaves: string[] = rows.map(formatStoredLeaf)
    for (const id of CONTENTS) {
      const question = {
        tag_key: head?.tag_key as Buffer,
        subject: { type: 'evidence' as const, id },
        from: 0,
      }
      expect(replay(leaves, question)).toEqual({ indices: [index] })
    }
  })

  it.each([
    ['a file is removed', 'delete from attestation_files where position = 3'],
    [
      'a file is added',
      `insert into attestation_files select org_id, attestation_id, 4, name, media_type, bytes, sha256,
      content_encoding, stored_bytes, stored_sha256 from attestation_files where position = 1`,
    ],
    ['two change places', 'update attestation_files set position = 5 where position = 2'],
    ['a content gets another hash', `update attestation_files set sha256 = stored_sha256 where position = 2`],
    ['a name changes', `update attestation_files set name = 'other' where position = 3`],
  ])('is the witness when %s', async (_, change) => {
    await app.sql('create temp table kept as select * from attestation_files')
    await app.sql(change)
    const problems = await findProblems()
    await app.sql('delete from attestation_files')
    await app.sql('insert into attestation_files select * from kept')
    await app.sql('drop table kept')
    expect(problems).toEqual([expect.stringContaining('trail_attestation_reported')])
    expect(await findProblems()).toEqual([])
  })
})

describe('every object', () => {
  it('is listed for the sweep, the check, the backup and the export, each once', async () => {
    for (const sha256 of OBJECTS) expect(await isEvidenceReferenced(app.db, org_id, sha256)).toBe(true)
    expect(await isEvidenceReferenced(app.db, org_id, hashOf(CONTENT))).toBe(false)
    const owner = makeOwnerDb(app.owner)
    const sorted = OBJECTS.toSorted()
    expect((await collect(listReferencedEvidence(owner))).map(({ sha256 }) => sha256)).toEqual(sorted)
    expect(await collect(listOrgEvidence(owner, org_id))).toEqual(sorted)
    expect(await collect(listAttachments(app.db, org_id))).toEqual(sorted)
  })

  it('counts once for the quota, even if it is attested again as another file', async () => {
    const before = await readUsage()
    expect(before).toBe('one'.length + PACKED.length + 'three'.length)
    const again = [...FILES].reverse()
    expect((await attestFiles(app.member, TRAIL, 'reversed', [...again, { content: 'more' }])).status).toBe(
      201,
    )
    expect(await readUsage()).toBe(before + 'more'.length)
  })
})

describe('an audit package', () => {
  it('has every file with its content, and its checksums match the files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-files-'))
    const { body } = await app.reader.get(`${TRAIL}/several`)
    const id = body[0].attestation_id
    const { bytes } = await app.reader.get(`/attestations/${ORG}/attestation/${id}/audit_package`)
    writeFileSync(join(folder, 'package.tgz'), bytes ?? '')
    execFileSync('tar', ['-xzf', 'package.tgz'], { cwd: folder })
    execFileSync('sha256sum', ['-c', '--quiet', 'manifest.sha256'], { cwd: folder })
    const files = readdirSync(join(folder, 'evidence', id)).sort()
    expect(files).toEqual(['one-2.txt', 'one.txt', 'two.txt'])
    expect(readFileSync(join(folder, 'evidence', id, 'two.txt'), 'utf8')).toBe(CONTENT)
    expect(readFileSync(join(folder, 'evidence', id, 'one-2.txt'), 'utf8')).toBe('three')
    rmSync(folder, { recursive: true })
  })
})

describe('an erasure', () => {
  it('removes all files that no other attestation has, and their usage', async () => {
    const trail = `/attestations/${ORG}/ci/trail/run`
    const { headers } = await attestFiles(app.member, trail, 'personal', [
      { name: 'grace-hopper.txt', content: 'first personal' },
      { name: 'ada.txt', content: 'second personal' },
      ...FILES,
    ])
    const before = await readUsage()
    const at = Number(/^index=(\d+)/.exec(String(headers['waybill-log']))?.[1])
    const erased = await app.admin.post(`/log/${ORG}/bodies/${at}/erase`, { reason: 'data_subject_request' })
    expect(erased.status).toBe(200)
    expect((await app.reader.get(`${TRAIL}/personal`)).body[0].evidence_files).toEqual([])
    expect(await readUsage()).toBe(before - 'first personal'.length - 'second personal'.length)
    expect(await findProblems()).toEqual([])
    const real_now = (await app.sql('select now() as now'))[0]?.now as Date
    const clock = { now: () => new Date(real_now.getTime() + 2 * DAY_MS), monotonic_ms: () => 0 }
    await sweepOnce({ db: app.db, evidence: app.evidence, log: makeLog('silent'), clock })
    const kept = (await collect(app.evidence.list())).map(({ sha256 }) => sha256)
    expect(kept).toEqual(expect.arrayContaining(OBJECTS))
    for (const content of ['first personal', 'second personal']) expect(kept).not.toContain(hashOf(content))
  })
})
