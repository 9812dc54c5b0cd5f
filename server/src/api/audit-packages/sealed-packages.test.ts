// Audit packages with proofs, as an auditor receives and verifies them: unchanged packages verify, and every change
// is detected.

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parseVerifierKey } from '@waybill/transparency-log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  isOfSeal,
  type PackedFile,
  packFiles,
  recompute,
  replaceFile,
  unpackFiles,
} from '../../../test/altered-package.ts'
import { addControl, buildDecision } from '../../../test/controls.ts'
import { buildPodReport } from '../../../test/environments.ts'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson } from '../../../test/people.ts'
import { makeBuild, makeFingerprint, nameTrail } from '../../../test/reports.ts'
import { makeScratchFolder, runProgram } from '../../../test/service.ts'
import { describeComparison } from '../../domain/audit-package/compare.ts'
import { describeRecord } from '../../events/describe-record.ts'
import { printSafeJson } from '../../verifier/escape.ts'
import {
  type PackageParts,
  printPackage,
  verifyPackage,
  verifyPackageStream,
} from '../../verifier/package.ts'

const FINGERPRINT = makeFingerprint('a')

let app: TestApp
let folder: string
let vkey: string
let parts: PackageParts
beforeAll(async () => {
  app = await startTestApp()
  folder = makeScratchFolder()
  await addControl(app, 'SDLC-1')
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
  const decided = await app.member.post(
    '/attestations/acme/ci/trail/run/system',
    buildDecision('SDLC-1', true),
  )
  expect(decided.status).toBe(201)
  await app.member.form('POST', '/attestations/acme/ci/trail/run/generic', {
    data_json: JSON.stringify({ attestation_name: 'tests', is_compliant: true }),
    attachment_file: makeFile('all passed'),
  })
  await app.member.post('/artifacts/acme/ci', makeBuild(FINGERPRINT, nameTrail('run')))
  await app.member.post('/attestations/acme/ci/trail/run/generic', {
    attestation_name: 'scan',
    artifact_fingerprint: FINGERPRINT,
    is_compliant: false,
  })
  await app.member.put('/environments/acme', { name: 'prod', type: 'K8S' })
  const report = buildPodReport('a')
  expect((await app.snapshotter.put('/environments/acme/prod/report/K8S', report)).status).toBe(200)
  vkey = (await app.reader.get('/log/acme/keys')).body.keys[0].vkey
  parts = { policy: trust(vkey), describe: describeRecord }
})
afterAll(() => app.stop())

const trust = (key: string) => ({
  logs: [{ key: parseVerifierKey(key), url: undefined }],
  witnesses: [],
  groups: [],
  quorum: 'none',
})

const PACKAGES = [
  ['an environment', '/environments/acme/prod/audit_package', 'environment.json', 2],
  ['a snapshot', '/snapshots/acme/prod/1/audit_package', 'snapshot.json', 1],
  ['a control', '/controls/acme/SDLC-1/audit_package', 'control.json', 2],
  ['a period', '/organizations/acme/audit_package?from_timestamp=1', 'events.json', 6],
  ['a trail', '/trails/acme/ci/run/audit_package', 'trail.json', 2],
  ['an artifact', `/artifacts/acme/ci/fingerprint/${FINGERPRINT}/audit_package`, 'artifact.json', 1],
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
      [/"salt": "\w/, (found: string) => `${found.slice(0, -1)}${found.endsWith('_') ? '0' : '_'}`],
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
    const other = (await app.admin.get('/log/ada/keys')).body.keys[0].vkey
    const { verdict, findings } = await verifyPackage(path, { ...parts, policy: trust(other) })
    expect(verdict).toBe('false')
    expect(findings.map(({ code }) => code)).toEqual(['V2'])
  })

  it('another organization is out of reach', async () => {
    for (const [, url] of PACKAGES) expect((await app.outsider.get(url)).status).toBe(403)
  })
})

const verifyFiles = async (files: readonly PackedFile[]) =>
  verifyPackageStream(Readable.from([await packFiles(files)]), parts)

const download = async (url: string) => unpackFiles((await app.admin.get(url)).bytes ?? Buffer.alloc(0))

const CONTROL = '/controls/acme/SDLC-1/audit_package'
const TRAIL = '/trails/acme/ci/run/audit_package'
const ENVIRONMENT = '/environments/acme/prod/audit_package'
const SNAPSHOT = '/snapshots/acme/prod/1/audit_package'

describe('a forged package with a new manifest is refused:', () => {
  const change = (text: string) => text.replace(/(true|false|prod|SDLC-1|passed)/, 'forged')
  it.each([
    ['summary.html', CONTROL, 'summary.html'],
    ['events.json', ENVIRONMENT, 'events.json'],
    ['control.json', CONTROL, 'control.json'],
    ['snapshot.json', SNAPSHOT, 'snapshot.json'],
    ['environment.json', ENVIRONMENT, 'environment.json'],
    ['an attestation', TRAIL, /^attestations\/tests/],
    ['an attachment', TRAIL, /^evidence\//],
  ])('%s', async (_, url, name) => {
    const files = await download(url)
    const forged = replaceFile(files, name, change)
    expect(forged).not.toEqual(files)
    const { verdict, findings } = await verifyFiles(recompute(forged))
    expect(verdict).toBe('false')
    expect(findings.map(({ code }) => code)).toContain('V11')
  })

  it('a body that was dropped with its salt', async () => {
    const files = await download(ENVIRONMENT)
    const dropped = replaceFile(files, /^log\/\d+\.json$/, text => {
      const { index, leaf } = JSON.parse(text)
      return `${JSON.stringify({ index, leaf }, null, 2)}\n`
    })
    const { verdict, findings } = await verifyFiles(recompute(dropped))
    expect(verdict).toBe('false')
    expect(findings.filter(({ level }) => level === 'false').map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /^the body of leaf \d+ \(snapshot_taken\) is missing and no erasure is recorded$/,
      ),
    )
  })

  it.each([
    ['a second name of a file', { name: './log/46.json' }, 'not plain: ./log/46.json'],
    ['the same name twice', { name: 'README.txt' }, 'two files of one name'],
    ['a name that differs only in case', { name: 'readme.txt' }, 'two files of one name'],
    ['a file outside', { name: '../../evil.txt' }, 'not plain: ../../evil.txt'],
    ['an absolute name', { name: '/etc/passwd' }, 'not plain: /etc/passwd'],
    ['a link', { name: 'x', header: { type: 'symlink', linkname: '/etc/passwd' } }, 'a link in the place'],
    ['a hard link', { name: 'x', header: { type: 'link', linkname: 'README.txt' } }, 'a link in the place'],
    ['a folder', { name: 'x/', header: { type: 'directory' } }, 'a folder in the place'],
    ['a pipe', { name: 'x', header: { type: 'fifo' } }, 'a pipe in the place'],
    ['a file in the place of a folder', { name: 'log' }, 'is a file and a folder'],
  ] as const)('%s', async (_, { name, ...more }, text) => {
    const files = await download(ENVIRONMENT)
    const content = Buffer.from('header' in more ? '' : 'x')
    const { verdict, findings } = await verifyFiles(recompute([...files, { name, content, ...more }]))
    expect(verdict).toBe('false')
    expect(findings[0]).toMatchObject({ code: 'V1', text: expect.stringContaining(text) })
  })

  it('and what it says cannot command the terminal', async () => {
    const files = await download(ENVIRONMENT)
    const name = 'x\u001b]0;owned\u0007\u009b2J'
    const verification = await verifyFiles([...files, { name, content: Buffer.from('') }])
    expect(verification.verdict).toBe('false')
    expect(printPackage(verification)).not.toMatch(/[^\P{Cc}\n]/u)
    expect(printPackage(verification)).toContain('x\\u{1b}]0;owned')
    expect(printSafeJson(verification)).not.toMatch(/[^\P{Cc}\n]/u)
  })
})

describe('the seal', () => {
  it('is a leaf that says who asked for what', async () => {
    const before = (await app.readEvents('audit_package_issued')).length
    const { seal } = await verifyFiles(await download(`${CONTROL}?from_timestamp=1772000000`))
    expect(seal).toMatchObject({ asked_by: 'ada', scope: 'control', subject: 'SDLC-1' })
    const [issued, ...others] = (await app.readEvents('audit_package_issued')).slice(before)
    expect(others).toEqual([])
    expect(issued).toMatchObject({
      actor: 'ada',
      data: { scope: 'control', from: '2026-02-25T06:13:20.000Z', to: null, format: 'package' },
    })
  })

  it('of another package, another organization or another moment is refused', async () => {
    const files = await download(CONTROL)
    await app.admin.put('/flows/ada', { name: 'other', description: '' })
    const others = [
      await download(TRAIL),
      await download('/organizations/ada/audit_package'),
      await download(CONTROL),
    ]
    for (const other of others) {
      const exchanged = [...files.filter(file => !isOfSeal(file)), ...other.filter(isOfSeal)]
      const { verdict, findings } = await verifyFiles(exchanged)
      expect(verdict).toBe('false')
      expect(findings.map(({ code }) => code)).toContain('V11')
    }
  })

  it.each(['leaf.json', 'leaf.tlog-proof', 'checkpoint', 'consistency.json'])(
    'is refused without %s',
    async name => {
      const files = await download(CONTROL)
      const { verdict } = await verifyFiles(files.filter(file => file.name !== `seal/${name}`))
      expect(verdict).toBe('false')
    },
  )

  it('is missing in packages of earlier versions: nobody can say', async () => {
    const files = await download(CONTROL)
    const { verdict, findings } = await verifyFiles(files.filter(file => !isOfSeal(file)))
    expect(verdict).toBe('unknown')
    expect(findings.filter(({ level }) => level === 'unknown')).toEqual([
      { code: 'V11', level: 'unknown', text: expect.stringContaining('unsealed') },
    ])
  })
})

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
    const show = await showOf(TRAIL)
    expect(show(/^attestations\/tests/)).toEqual({
      proved: 1,
      operator_only: expect.arrayContaining(PRESENT_NAMES),
    })
    expect(show(/^attestations\/tests/).operator_only).toHaveLength(PRESENT_NAMES.length + 3)
    expect(show(/^evidence\//)).toEqual({ proved: 1, operator_only: [] })
    expect(show(/^trail.json/)).toEqual({ proved: 0, operator_only: [] })
  })

  it('is named for a control, a snapshot and events', async () => {
    expect((await showOf(CONTROL))(/^control.json/)).toEqual({
      proved: 1,
      operator_only: ['last_modified_at', 'policies_referencing', 'html_url'],
    })
    const { proved, operator_only } = (await showOf(SNAPSHOT))(/^snapshot.json/)
    expect(proved).toBe(1)
    expect(operator_only).not.toContain('artifact_compliance_count')
    expect(operator_only).not.toContain('state')
    const events = (await showOf('/organizations/acme/audit_package'))(/^events.json/)
    expect(events.proved).toBeGreaterThan(5)
    expect(events.operator_only).not.toContain('sentence')
    expect(events.operator_only).not.toContain('data')
  })

  it('is in the summary as the verifier says it', async () => {
    for (const url of [TRAIL, CONTROL, SNAPSHOT, ENVIRONMENT]) {
      const files = await download(url)
      const { shown } = await verifyFiles(files)
      const summary = files.find(({ name }) => name === 'summary.html')?.content.toString()
      for (const each of shown.filter(({ file }) => !/^(log|parts|artifacts)\//.test(file)))
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

// Last, because it changes what the other tests have reported.
describe('an erased body', () => {
  it('is erased only with the leaf that says so', async () => {
    const [{ attestation_id }] = (await app.reader.get(`/attestations/acme/ci/artifact/${FINGERPRINT}/scan`))
      .body
    const { index } = (await app.reader.get(`/log/acme/leaf?attestation=${attestation_id}`)).body
    const erased = await app.admin.post(`/log/acme/bodies/${index}/erase`, { reason: 'recorded_by_mistake' })
    expect(erased.status).toBe(200)
    const files = await download(TRAIL)
    const { verdict, findings, shown } = await verifyFiles(files)
    expect(verdict).toBe('shown')
    const notes = findings.map(({ text }) => text).join('\n')
    const [, by] =
      /the body of leaf \d+ \(artifact_attestation_reported\) was erased by leaf (\d+)/.exec(notes) ?? []
    expect(by).toBeDefined()
    expect(shown.find(({ file }) => file.startsWith('attestations/scan'))).toMatchObject({ proved_by: [] })
    const without = recompute(files.filter(({ name }) => !name.startsWith(`log/${by}.`)))
    expect((await verifyFiles(without)).findings).toContainEqual(
      expect.objectContaining({ code: 'V10', level: 'false' }),
    )
  })
})
