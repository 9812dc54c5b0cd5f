// Audit packages that somebody has forged with a manifest that fits: each is refused.
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  isOfSeal,
  type PackedFile,
  packFiles,
  recompute,
  replaceFile,
  unpackFiles,
} from '../../../test/altered-package.ts'
import { FINGERPRINT, PACKAGE, readLogKey, reportEvidence, trustLog } from '../../../test/evidenced-org.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { printSafeJson } from '../../verifier/escape.ts'
import { type PackageParts, printPackage, verifyPackageStream } from '../../verifier/package.ts'

let app: TestApp
let parts: PackageParts
beforeAll(async () => {
  app = await startTestApp()
  await reportEvidence(app)
  parts = trustLog(await readLogKey(app))
})
afterAll(() => app.stop())

const verifyFiles = async (files: readonly PackedFile[]) =>
  verifyPackageStream(Readable.from([await packFiles(files)]), parts)

const download = async (url: string) => unpackFiles((await app.admin.get(url)).bytes ?? Buffer.alloc(0))

describe('a forged package with a new manifest is refused:', () => {
  const change = (text: string) => text.replace(/(true|false|prod|SDLC-1|passed)/, 'forged')
  it.each([
    ['summary.html', PACKAGE.control, 'summary.html'],
    ['events.json', PACKAGE.environment, 'events.json'],
    ['control.json', PACKAGE.control, 'control.json'],
    ['snapshot.json', PACKAGE.snapshot, 'snapshot.json'],
    ['environment.json', PACKAGE.environment, 'environment.json'],
    ['an attestation', PACKAGE.trail, /^attestations\/tests/],
    ['an attachment', PACKAGE.trail, /^evidence\//],
  ])('%s', async (_, url, name) => {
    const files = await download(url)
    const forged = replaceFile(files, name, change)
    expect(forged).not.toEqual(files)
    const { verdict, findings } = await verifyFiles(recompute(forged))
    expect(verdict).toBe('false')
    expect(findings.map(({ code }) => code)).toContain('V11')
  })

  it('a body that was dropped with its salt', async () => {
    const files = await download(PACKAGE.environment)
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
    ['a program that runs as its owner', { name: 'x', header: { mode: 0o4755 } }, 'special permissions: x'],
    ['a file in the place of a folder', { name: 'log' }, 'is a file and a folder'],
  ] as const)('%s', async (_, { name, ...more }, text) => {
    const files = await download(PACKAGE.environment)
    const content = Buffer.from('header' in more ? '' : 'x')
    const { verdict, findings } = await verifyFiles(recompute([...files, { name, content, ...more }]))
    expect(verdict).toBe('false')
    expect(findings[0]).toMatchObject({ code: 'V1', text: expect.stringContaining(text) })
  })

  it('and what it says cannot command the terminal', async () => {
    const files = await download(PACKAGE.environment)
    const name = 'x\u001b]0;owned\u0007\u009b2J'
    const verification = await verifyFiles([...files, { name, content: Buffer.from('') }])
    expect(verification.verdict).toBe('false')
    expect(printPackage(verification)).not.toMatch(/[^\P{Cc}\n]/u)
    expect(printPackage(verification)).toContain('x\\u{1b}]0;owned')
    expect(printSafeJson(verification)).not.toMatch(/[^\P{Cc}\n]/u)
  })
})

describe('what contradicts a leaf is false, even if the operator says it:', () => {
  it.each([
    [
      'a verdict',
      PACKAGE.trail,
      /^attestations\/tests/,
      /("is_compliant": )true/g,
      '$1false',
      'is_compliant',
    ],
    [
      'a reporter',
      PACKAGE.trail,
      /^attestations\/tests/,
      '"reported_by": "max"',
      '"reported_by": "ada"',
      'reported_by',
    ],
    ['an attachment', PACKAGE.trail, /^evidence\//, 'all', 'few', 'content'],
    ['a control', PACKAGE.control, 'control.json', '"version": 1', '"version": 2', 'version'],
    ['a snapshot', PACKAGE.snapshot, 'snapshot.json', '"null": 1', '"null": 0', 'artifact_compliance_count'],
    [
      'an event',
      PACKAGE.environment,
      'events.json',
      '"snapshot_index": 1',
      '"snapshot_index": 2',
      'data of event',
    ],
    ['an actor', PACKAGE.environment, 'events.json', /"actor": "\w+"/, '"actor": "eve"', 'actor of event'],
    [
      'a key twice',
      PACKAGE.control,
      'control.json',
      '"version"',
      '"version": 2,\n  "version"',
      'not written as',
    ],
  ] as const)('%s', async (_, url, name, before, after, text) => {
    const files = await download(url)
    const forged = replaceFile(files, name, content => content.replace(before, after))
    expect(forged).not.toEqual(files)
    const { findings } = await verifyFiles(recompute(forged))
    expect(findings.filter(({ code }) => code === 'V12').map(each => each.text)).toContainEqual(
      expect.stringContaining(text),
    )
  })

  it('a content that is not the one of its leaf', async () => {
    const forged = replaceFile(await download(PACKAGE.snapshot), /^parts\/\d+\/state$/, text => `${text}x`)
    expect((await verifyFiles(recompute(forged))).findings).toContainEqual(
      expect.objectContaining({
        code: 'V10',
        level: 'false',
        text: expect.stringContaining('is not the state of leaf'),
      }),
    )
  })
})

describe('what the operator changes in the database is never shown as proved:', () => {
  let tampered: TestApp
  beforeAll(async () => {
    tampered = await startTestApp()
    await reportEvidence(tampered)
  })
  afterAll(() => tampered.stop())

  it.each([
    [
      'a report',
      PACKAGE.trail,
      `update attestations set report = jsonb_set(report::jsonb, '{description}', '"no"')::json
       where attestation_name = 'tests'`,
      /^attestations\/tests-[0-9a-f-]+\.json: leaf \d+ commits to its report, which is not in the package/,
    ],
    [
      'a file',
      PACKAGE.trail,
      `delete from attestation_files; update attestations set evidence_sha256 = null, evidence_name = null, evidence_bytes = null`,
      /^attestations\/tests-[0-9a-f-]+\.json: leaf \d+ names the file /,
    ],
    [
      'a control',
      PACKAGE.control,
      "update controls set name = 'Other'",
      /^control\.json: no leaf in the package proves it$/,
    ],
    [
      'a snapshot',
      PACKAGE.snapshot,
      'update snapshots set unknown_count = 0, compliant_count = 1, compliant = true',
      /^snapshot\.json: leaf \d+ commits to its state, which is not in the package/,
    ],
    [
      'a snapshot at another time, without its event',
      PACKAGE.snapshot,
      "update snapshots set created_at = created_at - interval '1 day'",
      /^snapshot\.json: /,
    ],
  ] as const)('%s', async (_, url, change, text) => {
    await tampered.sql(change)
    const files = await unpackFiles((await tampered.admin.get(url)).bytes ?? Buffer.alloc(0))
    const { verdict, findings } = await verifyPackageStream(
      Readable.from([await packFiles(files)]),
      trustLog(await readLogKey(tampered)),
    )
    expect(verdict).not.toBe('shown')
    expect(findings.filter(({ code }) => code === 'V12').map(each => each.text)).toContainEqual(
      expect.stringMatching(text),
    )
  })
})

describe('the seal', () => {
  it('is a leaf that says who asked for what', async () => {
    const before = (await app.readEvents('audit_package_issued')).length
    const { seal } = await verifyFiles(await download(`${PACKAGE.control}?from_timestamp=1772000000`))
    expect(seal).toMatchObject({ asked_by: 'ada', scope: 'control', subject: 'SDLC-1' })
    const [issued, ...others] = (await app.readEvents('audit_package_issued')).slice(before)
    expect(others).toEqual([])
    expect(issued).toMatchObject({
      actor: 'ada',
      data: { scope: 'control', from: '2026-02-25T06:13:20.000Z', to: null, format: 'package' },
    })
  })

  it('of another package, another organization or another moment is refused', async () => {
    const files = await download(PACKAGE.control)
    await app.admin.put('/flows/ada', { name: 'other', description: '' })
    const others = [
      await download(PACKAGE.trail),
      await download('/organizations/ada/audit_package'),
      await download(PACKAGE.control),
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
      const files = await download(PACKAGE.control)
      const { verdict } = await verifyFiles(files.filter(file => file.name !== `seal/${name}`))
      expect(verdict).toBe('false')
    },
  )

  it('is missing in packages of earlier versions: nobody can say', async () => {
    const files = await download(PACKAGE.control)
    const { verdict, findings } = await verifyFiles(files.filter(file => !isOfSeal(file)))
    expect(verdict).toBe('unknown')
    expect(findings.filter(({ level }) => level === 'unknown')).toEqual([
      { code: 'V11', level: 'unknown', text: expect.stringContaining('unsealed') },
    ])
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
    const files = await download(PACKAGE.organization)
    const { verdict, findings } = await verifyFiles(files)
    expect(verdict).toBe('shown')
    const notes = findings.map(({ text }) => text).join('\n')
    const [, by] =
      /the body of leaf \d+ \(artifact_attestation_reported\) was erased by leaf (\d+)/.exec(notes) ?? []
    expect(by).toBeDefined()
    const without = recompute(files.filter(({ name }) => !name.startsWith(`log/${by}.`)))
    expect((await verifyFiles(without)).findings).toContainEqual(
      expect.objectContaining({ code: 'V10', level: 'false' }),
    )
  })

  it('proves nothing about its record: nobody can say', async () => {
    const { verdict, findings } = await verifyFiles(await download(PACKAGE.artifact))
    expect(verdict).toBe('unknown')
    expect(findings.filter(({ level }) => level === 'unknown').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^attestations\/scan-[0-9a-f-]+\.json: no leaf in the package proves it$/),
    ])
  })
})
