// Audit packages as an auditor receives them, unpacked with the system's tar.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'

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
  const headers = { authorization: `Bearer ${app.reader.key}` }
  const { statusCode, rawPayload } = await app.server.inject({ method: 'GET', url: `/api/v2${url}`, headers })
  expect(statusCode).toBe(200)
  const archive = join(folder, 'package.tgz')
  writeFileSync(archive, rawPayload)
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  rmSync(archive)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

const readId = async (name: string) =>
  (await app.reader.get(`/attestations/acme/ci/trail/run/${name}`)).body[0].attestation_id

describe('the package of a trail', () => {
  it('has the records and attachments under their names, and can be verified', async () => {
    const [kept, lost] = [await readId('kept'), await readId('lost')]
    expect(await unpack('/trails/acme/ci/run/audit_package')).toEqual(
      [
        `attestations/kept-${kept}.json`,
        `attestations/lost-${lost}.json`,
        `evidence/${kept}/attachment_file.bin`,
        `evidence/${lost}/MISSING.txt`,
        'manifest.sha256',
        'summary.html',
        'trail.json',
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
