// Audit packages as an auditor receives them, unpacked with the system's tar.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unpackFiles } from '../../../test/altered-package.ts'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, nameTrail } from '../../../test/reports.ts'

const KEPT = 'stored evidence'
const LOST = 'missing evidence'

let app: TestApp
let folder: string
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
  for (const [attestation_name, content] of [
    ['kept', KEPT],
    ['lost', LOST],
  ] as const) {
    await app.member.form('POST', '/attestations/acme/ci/trail/run/generic', {
      data_json: JSON.stringify({ attestation_name, is_compliant: true }),
      attachment_file: makeFile(content),
    })
  }
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a'), nameTrail('run')))
  await app.member.post('/attestations/acme/ci/trail/run/generic', {
    attestation_name: 'of-artifact',
    artifact_fingerprint: makeFingerprint('a'),
    is_compliant: true,
  })
  const sha256 = createHash('sha256').update(LOST).digest('hex')
  const paths = readdirSync(app.evidence_dir, { recursive: true }).map(String)
  for (const path of paths.filter(each => each.endsWith(sha256))) rmSync(join(app.evidence_dir, path))
})
afterAll(() => app.stop())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-package-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function unpack(url: string): Promise<string[]> {
  const { status, bytes } = await app.reader.get(url)
  expect(status).toBe(200)
  const archive = join(folder, 'package.tgz')
  writeFileSync(archive, bytes ?? '')
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  rmSync(archive)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

const ALWAYS = ['README.txt', 'log/checkpoint', 'manifest.sha256', 'summary.html']
const SEAL = ['checkpoint', 'consistency.json', 'leaf.json', 'leaf.tlog-proof'].map(name => `seal/${name}`)

/** The files that prove attestations. */
async function listProofs(...ids: string[]): Promise<string[]> {
  const files: string[][] = []
  for (const id of ids) {
    const { index } = (await app.reader.get(`/log/acme/leaf?attestation=${id}`)).body
    files.push([`log/${index}.json`, `log/${index}.tlog-proof`, `parts/${index}/report`])
  }
  return [...files.flat(), ...ALWAYS, ...SEAL]
}

async function listTrailProofs(): Promise<string[]> {
  const { index } = (await app.reader.get('/log/acme/leaf?flow=ci&trail=run')).body
  return [`log/${index}.json`, `log/${index}.tlog-proof`, `parts/${index}/trail`]
}

const readId = async (name: string) =>
  (await app.reader.get(`/attestations/acme/ci/trail/run/${name}`)).body[0].attestation_id

describe('the package of a trail', () => {
  it('has the records and attachments under their names, and can be verified', async () => {
    const [kept, lost] = [await readId('kept'), await readId('lost')]
    const of_artifact = await readId('of-artifact')
    expect(await unpack('/trails/acme/ci/run/audit_package')).toEqual(
      [
        `attestations/kept-${kept}.json`,
        `attestations/lost-${lost}.json`,
        `attestations/of-artifact-${of_artifact}.json`,
        `evidence/${kept}/attachment_file.bin`,
        `evidence/${lost}/MISSING.txt`,
        'trail.json',
        ...(await listTrailProofs()),
        ...(await listProofs(kept, lost, of_artifact)),
      ].sort(),
    )
    expect(readFileSync(join(folder, 'evidence', kept, 'attachment_file.bin'), 'utf8')).toBe(KEPT)
    execFileSync('sha256sum', ['-c', '--strict', '--quiet', 'manifest.sha256'], { cwd: folder })
  })

  it('says which attachment is missing from the store', async () => {
    await unpack('/trails/acme/ci/run/audit_package')
    const sha256 = createHash('sha256').update(LOST).digest('hex')
    const missingText = readFileSync(join(folder, 'evidence', await readId('lost'), 'MISSING.txt'), 'utf8')
    expect(missingText).toBe(`${sha256} is not in the evidence store\n`)
  })
})

describe('the package of an artifact', () => {
  it('has the attestations of the artifact only', async () => {
    const of_artifact = await readId('of-artifact')
    const files = await unpack(`/artifacts/acme/ci/fingerprint/${makeFingerprint('a')}/audit_package`)
    expect(files.filter(file => file.startsWith('attestations/'))).toEqual([
      `attestations/of-artifact-${of_artifact}.json`,
    ])
    expect(files).toContain('manifest.sha256')
  })
})

describe('the package of an attestation', () => {
  it('has its record and its attachment', async () => {
    const kept = await readId('kept')
    expect(await unpack(`/attestations/acme/attestation/${kept}/audit_package`)).toEqual(
      [
        `attestations/kept-${kept}.json`,
        `evidence/${kept}/attachment_file.bin`,
        ...(await listProofs(kept)),
      ].sort(),
    )
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    for (const path of [
      '/trails/acme/ci/run/audit_package',
      `/artifacts/acme/ci/fingerprint/${makeFingerprint('a')}/audit_package`,
      `/attestations/acme/attestation/${await readId('kept')}/audit_package`,
    ]) {
      expect((await app.outsider.get(path)).status).toBe(403)
    }
  })
})

describe('404', () => {
  it.each([
    [
      '/trails/acme/ci/nothing/audit_package',
      "Trail with name 'nothing' does not exist for Organization 'acme' and Flow 'ci'",
    ],
    [
      '/artifacts/acme/ci/fingerprint/bbbbb/audit_package',
      "Fingerprint 'bbbbb' does not match exactly one artifact in flow 'ci'",
    ],
    [
      '/attestations/acme/attestation/nothing/audit_package',
      "Attestation 'nothing' does not exist in organization 'acme'",
    ],
  ])('%s', async (path, message) => {
    const { status, body } = await app.reader.get(path)
    expect(status).toBe(404)
    expect(body).toEqual({ message })
  })
})

// Last, because it opens the organization to everybody.
describe('the package that a visitor gets', () => {
  it('has only checksums, and the log does not grow', async () => {
    await app.member.put('/flows/acme', { name: 'ci', description: '', visibility: 'public' })
    const settings = await app.admin.patch('/organizations/acme', { settings: { public_read: true } })
    expect(settings.status).toBe(200)
    const before = await app.readEvents('audit_package_issued')
    const { status, bytes } = await app.anonymous.get('/trails/acme/ci/run/audit_package')
    expect(status).toBe(200)
    const names = (await unpackFiles(bytes ?? Buffer.alloc(0))).map(({ name }) => name)
    expect(names).toContain('manifest.sha256')
    expect(names.filter(name => /^(seal|log)/.test(name))).toEqual([])
    expect(await app.readEvents('audit_package_issued')).toEqual(before)
  })
})
