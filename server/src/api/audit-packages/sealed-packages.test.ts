// Audit packages with proofs, as an auditor receives and verifies them: unchanged packages verify, and every change
// is detected.

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PackedFile, packFiles, unpackFiles } from '../../../test/altered-package.ts'
import { PACKAGE, readLogKey, reportEvidence, trustKey, trustLog } from '../../../test/evidenced-org.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson } from '../../../test/people.ts'
import { makeScratchFolder, runProgram } from '../../../test/service.ts'
import { describeComparison } from '../../domain/audit-package/comparison.ts'
import { type PackageParts, verifyPackage, verifyPackageStream } from '../../verifier/package.ts'

let app: TestApp
let folder: string
let vkey: string
let parts: PackageParts
beforeAll(async () => {
  app = await startTestApp()
  folder = makeScratchFolder()
  await reportEvidence(app)
  vkey = await readLogKey(app)
  parts = trustLog(vkey)
})
afterAll(() => app.stop())

const PACKAGES = [
  ['an environment', PACKAGE.environment, 'environment.json', 2],
  ['a snapshot', PACKAGE.snapshot, 'snapshot.json', 1],
  ['a control', PACKAGE.control, 'control.json', 2],
  ['a period', `${PACKAGE.organization}?from_timestamp=1`, 'events.json', 6],
  ['a trail', PACKAGE.trail, 'trail.json', 2],
  ['an artifact', PACKAGE.artifact, 'artifact.json', 1],
] as const

async function save(url: string): Promise<string> {
  const { status, bytes } = await app.admin.get(url)
  expect(status).toBe(200)
  const path = join(folder, `${url.replaceAll(/\W/g, '-')}.tgz`)
  writeFileSync(path, bytes ?? '')
  return path
}

/** Changes a text inside the archive; the texts have the same length. */
function alter(path: string, before: string | RegExp, change: (found: string) => string): string {
  const content = gunzipSync(readFileSync(path)).toString('latin1')
  const altered = content.replace(before, change)
  expect(altered).not.toBe(content)
  const other = path.replace('.tgz', '-altered.tgz')
  writeFileSync(other, gzipSync(Buffer.from(altered, 'latin1')))
  return other
}

describe('the package of', () => {
  it.each(PACKAGES)('%s is shown', async (_, url, record, least) => {
    const path = await save(url)
    const { verdict, proved, findings, log } = await verifyPackage(path, parts)
    expect({ verdict, problems: findings.filter(({ level }) => level !== 'note') }).toEqual({
      verdict: 'shown',
      problems: [],
    })
    expect(proved.length).toBeGreaterThanOrEqual(least)
    expect(log?.signed_by).toHaveLength(1)
    expect(gunzipSync(readFileSync(path)).toString('latin1')).toContain(record)
  })

  it.each(PACKAGES)('%s is refused after any change', async (_, url) => {
    const path = await save(url)
    for (const [before, change] of [
      [/"kind\W+\w/, (found: string) => `${found.slice(0, -1)}X`],
      [/Made by/, () => 'Made bY'],
      [/"salt": "./, (found: string) => `${found.slice(0, -1)}${found.endsWith('_') ? '0' : '_'}`],
      [
        /\n[0-9a-f]{8}/,
        (found: string) => `\n${[...found.slice(1)].map(c => (c === '0' ? '1' : '0')).join('')}`,
      ],
    ] as const) {
      const { verdict, findings } = await verifyPackage(alter(path, before, change), parts)
      expect(verdict).toBe('false')
      expect(findings.map(({ code }) => code)).toContain('V1')
    }
  })

  it('another log is refused, even if all sums are right', async () => {
    const path = await save('/organizations/acme/audit_package')
    const other = await readLogKey(app, 'ada')
    const { verdict, findings } = await verifyPackage(path, { ...parts, policy: trustKey(other) })
    expect(verdict).toBe('false')
    expect(findings.map(({ code }) => code)).toEqual(['V2'])
  })

  it('a snapshot that does not exist is 404', async () => {
    const last = await app.admin.get('/snapshots/acme/prod/1/audit_package')
    const next = await app.admin.get('/snapshots/acme/prod/9/audit_package')
    expect([last.status, next.status]).toEqual([200, 404])
  })

  it('another organization is out of reach', async () => {
    for (const [, url] of PACKAGES) expect((await app.outsider.get(url)).status).toBe(403)
  })
})

const verifyFiles = async (files: readonly PackedFile[]) =>
  verifyPackageStream(Readable.from([await packFiles(files)]), parts)

const download = async (url: string) => unpackFiles((await app.admin.get(url)).bytes ?? Buffer.alloc(0))

describe('what proves each file', () => {
  const showOf = async (url: string) => {
    const { shown, verdict } = await verifyFiles(await download(url))
    expect(verdict).toBe('shown')
    return (name: RegExp) => {
      const { proved_by, operator_only } = shown.find(({ file }) => name.test(file)) ?? {}
      return { proved: proved_by?.length, operator_only }
    }
  }
  const PRESENT_NAMES = [
    'flow_name',
    'trail_name',
    'waiting_for',
    'evidence_archive_path',
    'has_audit_package',
  ]

  it('is named for a trail', async () => {
    const show = await showOf(PACKAGE.trail)
    expect(show(/^attestations\/tests/)).toEqual({
      proved: 1,
      operator_only: expect.arrayContaining(PRESENT_NAMES),
    })
    expect(show(/^attestations\/tests/).operator_only).toHaveLength(PRESENT_NAMES.length + 4)
    expect(show(/^evidence\//)).toEqual({ proved: 1, operator_only: [] })
    const trail = show(/^trail.json/)
    expect(trail.proved).toBe(1)
    expect(trail.operator_only).toContain('compliance_state')
    for (const field of ['id', 'name', 'created_by', 'user_data'])
      expect(trail.operator_only).not.toContain(field)
  })

  it('is named for a control, a snapshot and events', async () => {
    expect((await showOf(PACKAGE.control))(/^control.json/)).toEqual({
      proved: 1,
      operator_only: ['last_modified_at', 'policies_referencing', 'html_url'],
    })
    const { proved, operator_only } = (await showOf(PACKAGE.snapshot))(/^snapshot.json/)
    expect(proved).toBe(1)
    expect(operator_only).not.toContain('artifact_compliance_count')
    expect(operator_only).not.toContain('state')
    const events = (await showOf('/organizations/acme/audit_package'))(/^events.json/)
    expect(events.proved).toBeGreaterThan(5)
    expect(events.operator_only).not.toContain('sentence')
    expect(events.operator_only).not.toContain('data')
  })

  it('is in the summary beside the state, which is unknown where nothing was checked', async () => {
    for (const url of [PACKAGE.snapshot, PACKAGE.environment]) {
      const summary = (await download(url)).find(({ name }) => name === 'summary.html')?.content.toString()
      expect(summary).toContain('<td>UNKNOWN: no policy is attached, so nothing was checked</td>')
    }
  })

  it('is in the summary as the verifier says it', async () => {
    for (const url of [PACKAGE.trail, PACKAGE.control, PACKAGE.snapshot, PACKAGE.environment]) {
      const files = await download(url)
      const { shown } = await verifyFiles(files)
      const summary = files.find(({ name }) => name === 'summary.html')?.content.toString()
      for (const each of shown.filter(({ file }) => !/^(log|parts)\//.test(file)))
        expect(summary).toContain(`<td>${each.file}</td><td>${describeComparison(each)}</td>`)
    }
  })
})

describe('a PDF', () => {
  it('has its hash in an event', async () => {
    const { bytes } = await app.reader.get('/trails/acme/ci/run/audit_pdf')
    const sha256 = createHash('sha256')
      .update(bytes ?? '')
      .digest('hex')
    expect((await app.readEvents('audit_package_issued')).at(-1)).toMatchObject({
      data: { scope: 'trail', subject: 'ci/run', format: 'pdf', sha256 },
    })
  })
})

describe('a package of a period', () => {
  it('is for admins and auditors', async () => {
    const auditor = await addPerson(app, 'oda', 'auditor')
    const get = async (client: typeof auditor) =>
      (await client.get('/organizations/acme/audit_package')).status
    expect([await get(auditor), await get(app.admin), await get(app.member), await get(app.reader)]).toEqual([
      200, 200, 403, 403,
    ])
  })

  it('has the events of the period only', async () => {
    const none = await save('/environments/acme/prod/audit_package?to_timestamp=1')
    expect(await verifyPackage(none, parts)).toMatchObject({ verdict: 'shown', proved: [] })
    expect(
      (await app.admin.get('/organizations/acme/audit_package?from_timestamp=2&to_timestamp=1')).status,
    ).toBe(400)
  })

  it('with too many events is refused, never cut', async () => {
    await app.sql(
      `insert into events (org_id, event_id, kind, happened_at, actor, request_id, data)
       select org_id, ('fffffff0-0000-7000-8000-' || lpad(to_hex(i), 8, '0') || '0000')::uuid, 'flow_created',
         '2026-03-03', 'x', 'x', '{}'
       from orgs, generate_series(1, 2001) i where name = 'acme'`,
    )
    const { status, body } = await app.admin.get('/organizations/acme/audit_package')
    expect(status).toBe(400)
    expect(body.message).toContain('at most 2,000 events')
  })
})

describe('waybill verify', () => {
  const verify = (path: string, ...more: string[]) =>
    runProgram(['verify', path, '--vkey', vkey, ...more], { data_dir: join(folder, 'no-data') })

  it('exits with 0 for a package as it is, and with 1 after a change', async () => {
    const path = await save('/controls/acme/SDLC-1/audit_package')
    const good = await verify(path)
    expect(good.stdout).toContain('every event is in the log')
    expect(good.code).toBe(0)
    const bad = await verify(alter(path, /Made by/, () => 'Made bY'))
    expect(bad.stdout).toContain('V1 README.txt differs from the manifest')
    expect(bad.code).toBe(1)
    expect((await verify(path, '--artifact', 'a')).code).toBe(2)
    writeFileSync(join(folder, 'cut.tgz'), readFileSync(path).subarray(0, 500))
    expect((await verify(join(folder, 'cut.tgz'))).code).toBe(2)
  })
})
