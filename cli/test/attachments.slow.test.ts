// The files of an attestation: sent separately, each with the hash that its owner knows, if the service
// accepts several.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { serveCli } from './served-cli.ts'
import { serveAnswers } from './stand-in.ts'

const older = serveAnswers()
const served = serveCli({ role: 'member' }, async ({ cli }) => {
  await cli.run('create flow files --use-empty-template')
})
let number = 0
let trail: string
beforeEach(async () => {
  number += 1
  trail = `trail-${number}`
  await served.cli.run(`begin trail ${trail} --flow files`)
})

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

function write(files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(served.cli.folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, content)
  }
}

const attest = (line: string, env: Record<string, string> = {}) =>
  served.cli.run(`attest generic --name it --flow files --trail ${trail} ${line}`, { env })

async function readFiles(): Promise<{ name: string; sha256: string }[]> {
  const { body } = await served.app.member.get(`/attestations/acme/files/trail/${trail}/it`)
  return body[0].evidence_files
}

describe('several attachments', () => {
  it('are sent separately, and their hashes are printed', async () => {
    write({ 'report.pdf': 'the report', 'scan.txt': 'the scan', 'logs/a.log': 'a', 'logs/b.log': 'b' })
    const { code, stdout, stderr } = await attest(
      '--attachments report.pdf --attachments scan.txt --file logs',
    )
    expect(code, stderr).toBe(0)
    const files = await readFiles()
    expect(files.map(({ name }) => name)).toEqual(['report.pdf', 'scan.txt', 'logs.tgz'])
    expect(files[0]?.sha256).toBe(hashOf('the report'))
    expect(files[1]?.sha256).toBe(hashOf('the scan'))
    const [first, ...lines] = stdout.trim().split('\n')
    expect(first).toBe(`Recorded generic it on trail ${trail} of flow files`)
    expect(lines).toEqual(files.map(({ name, sha256 }) => `${sha256}  ${name}`))
  })

  it('are one archive if there are more than the service accepts', async () => {
    const names = Array.from({ length: 11 }, (_, i) => `many-${i}.txt`)
    write(Object.fromEntries(names.map(name => [name, name])))
    const { code, stderr } = await attest(names.map(name => `--attachments ${name}`).join(' '))
    expect(code, stderr).toBe(0)
    expect(await readFiles()).toMatchObject([{ name: 'attachments.tgz' }])
  })

  it('are one archive for a service of an earlier version', async () => {
    write({ 'a.txt': 'a', 'b.txt': 'b' })
    older.answers['/api/v2/meta'] = { limits: { multipart_file_part_bytes: 10_485_760 } }
    older.answers[`/api/v2/attestations/acme/files/trail/${trail}/generic`] = 'OK'
    const { code, stdout, stderr } = await attest('--attachments a.txt --attachments b.txt', {
      WAYBILL_HOST: older.url,
    })
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/\n[0-9a-f]{64} {2}attachments\.tgz\n$/)
  })

  it('stay separate when the service is down, and a dry run does not ask the service', async () => {
    write({ 'a.txt': 'a', 'b.txt': 'b' })
    const away = { WAYBILL_HOST: 'http://127.0.0.1:9' }
    const line = '--attachments a.txt --attachments b.txt'
    const waiting = await attest(`${line} --max-api-retries 0`, away)
    expect([waiting.code, waiting.stderr]).toEqual([0, expect.stringContaining('waits in the spool')])
    const list = await served.cli.run('spool list --output json', { env: away })
    expect(JSON.stringify(JSON.parse(list.stdout))).toContain('attest generic')
    const dry = await attest(`${line} --dry-run`, { WAYBILL_HOST: older.url })
    expect(JSON.parse(dry.stdout).files).toEqual(['a.txt', 'b.txt'])
    expect(older.asked).toEqual([])
  })
})

describe('one attachment', () => {
  it("is sent without asking for the service's limits, a folder as an archive", async () => {
    write({ 'one.txt': 'one', 'folder/x.txt': 'x' })
    older.answers[`/api/v2/attestations/acme/files/trail/${trail}/generic`] = 'OK'
    const { code, stderr } = await attest('--attachments one.txt', { WAYBILL_HOST: older.url })
    expect(code, stderr).toBe(0)
    expect(older.asked.map(({ path }) => path)).not.toContain('/api/v2/meta')
    expect((await attest('--attachments folder')).code).toBe(0)
    expect(await readFiles()).toMatchObject([{ name: 'attachments.tgz' }])
  })
})

describe('a large file', () => {
  const MIB = 1024 * 1024
  const text = Buffer.from(randomBytes(MIB).toString('hex').replaceAll('a', ' testcase '))

  it('is sent compressed, and has the hash that its owner knows', async () => {
    writeFileSync(join(served.cli.folder, 'large.xml'), text)
    const { code, stdout, stderr } = await attest('--attachments large.xml')
    expect(code, stderr).toBe(0)
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect(stdout).toContain(`${sha256}  large.xml`)
    const [file] = await readFiles()
    expect(file).toMatchObject({ name: 'large.xml', sha256, bytes: text.length, content_encoding: 'gzip' })
  })

  it('is sent uncompressed if compression saves too little', async () => {
    writeFileSync(join(served.cli.folder, 'large.bin'), randomBytes(2 * MIB))
    expect((await attest('--attachments large.bin')).code).toBe(0)
    expect(await readFiles()).toMatchObject([{ bytes: 2 * MIB, content_encoding: null }])
  })

  it('is sent uncompressed to a service of an earlier version', async () => {
    writeFileSync(join(served.cli.folder, 'large.xml'), text)
    older.answers['/api/v2/meta'] = { limits: { multipart_file_part_bytes: 10_485_760 } }
    older.answers[`/api/v2/attestations/acme/files/trail/${trail}/generic`] = 'OK'
    const { code, stderr } = await attest('--attachments large.xml', { WAYBILL_HOST: older.url })
    expect(code, stderr).toBe(0)
    const sent = older.asked.map(({ headers }) => Number(headers['content-length'] ?? 0))
    expect(Math.max(...sent)).toBeGreaterThan(text.length)
  })
})
