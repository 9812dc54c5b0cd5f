import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../test/patience.ts'
import { type PackageEntry, writePackage } from './audit-package.ts'

const NOW = new Date('2026-03-03T12:00:00Z')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-package-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Uses the system's tar, like the recipient of a package. */
async function unpack(entries: Iterable<PackageEntry> | AsyncIterable<PackageEntry>): Promise<string[]> {
  const archive = join(folder, 'package.tgz')
  await pipeline(writePackage(entries, NOW), createWriteStream(archive))
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  rmSync(archive)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}
const checkManifest = () =>
  spawnSync('sha256sum', ['-c', '--strict', 'manifest.sha256'], { cwd: folder, encoding: 'utf8' })
const readContent = (path: string) => readFileSync(join(folder, path))

describe('an audit package', () => {
  it('is unpacked by tar and verified by sha256sum', async () => {
    const big = randomBytes(3_000_001)
    const files = await unpack([
      { path: 'summary.html', content: '<p>é</p>' },
      { path: 'evidence/junit.xml', content: Readable.from([big]), bytes: big.length },
      { path: 'empty', content: Readable.from([]), bytes: 0 },
    ])
    expect(files).toEqual(['empty', 'evidence/junit.xml', 'manifest.sha256', 'summary.html'])
    expect(readContent('evidence/junit.xml').equals(big)).toBe(true)
    expect(checkManifest()).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('evidence/junit.xml: OK'),
    })
    writeFileSync(join(folder, 'summary.html'), 'other')
    expect(checkManifest().status).toBe(1)
  })

  it('keeps hostile and colliding names inside the folder, distinct and verifiable', async () => {
    const names = [
      '../../etc/passwd',
      '/etc/passwd',
      'etc/PASSWD',
      'manifest.sha256',
      'a\nb.txt',
      'a\\..\\b.txt',
      ' - leading.txt',
      '--checkpoint-action=exec=sh',
      'Prüfung 試験/報告.pdf',
      `${'長'.repeat(300)}.xml`,
      '..',
      '\u202egpj.exe',
    ]
    const files = await unpack(names.map(path => ({ path, content: path })))
    expect(files).toHaveLength(names.length + 1)
    expect(files).toEqual(
      expect.arrayContaining(['etc/passwd', 'etc/passwd-2', 'etc/PASSWD-3', 'manifest-2.sha256', 'a_b.txt']),
    )
    expect(files).toEqual(expect.arrayContaining(['a/b.txt', 'unnamed', 'Prüfung 試験/報告.pdf', '_gpj.exe']))
    expect(checkManifest()).toMatchObject({ status: 0, stderr: '' })
  })

  it('has the same bytes for the same content', async () => {
    const one = await readBytes(writePackage([{ path: 'a', content: 'x' }], NOW))
    expect(one.equals(await readBytes(writePackage([{ path: 'a', content: 'x' }], NOW)))).toBe(true)
  })

  it.each([
    ['longer', 2],
    ['shorter', 4],
  ])('fails when content is %s than announced', async (_, bytes) => {
    const entry = { path: 'a', content: Readable.from([Buffer.from('xyz')]), bytes }
    await expect(readBytes(writePackage([entry], NOW))).rejects.toThrow('Size mismatch')
  })

  it('fails when content cannot be read, and then opens nothing else', async () => {
    let opened = 0
    const entries = async function* (): AsyncGenerator<PackageEntry> {
      opened += 1
      yield { path: 'a', content: makeFailing(), bytes: 10 }
      opened += 1
    }
    await expect(readBytes(writePackage(entries(), NOW))).rejects.toThrow('damaged')
    expect(opened).toBe(1)
  })

  it('stops reading when its reader disconnects', async () => {
    let read = 0
    const endless = Readable.from(
      (async function* () {
        for (;;) {
          read += 1
          yield randomBytes(65_536)
        }
      })(),
    )
    const stream = writePackage([{ path: 'a', content: endless, bytes: 1e12 }], NOW)
    await new Promise(resolve => stream.once('data', resolve))
    stream.destroy()
    await until(() => endless.closed)
    const at_leave = read
    for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve))
    expect(read).toBe(at_leave)
    expect(read).toBeLessThan(100)
  })
})

function makeFailing(): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from('x')
      throw new Error('damaged')
    })(),
  )
}

async function readBytes(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
