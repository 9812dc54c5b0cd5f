import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeEvidenceStore } from '../../test/evidence-contract.ts'
import { openDiskEvidence } from './disk.ts'
import type { EvidenceStore } from './evidence.ts'

const ORG = '01980000-0000-7000-8000-000000000000'
const NOW = new Date('2026-03-03T12:00:00Z')
const DAY_MS = 24 * 60 * 60 * 1000

let root: string
let store: EvidenceStore
const open = () => openDiskEvidence({ root, newName: randomUUID, now: new Date() })
beforeEach(async () => {
  root = join(mkdtempSync(join(tmpdir(), 'waybill-evidence-')), 'evidence')
  store = await open()
})
afterEach(() => rmSync(join(root, '..'), { recursive: true, force: true }))

const hashText = (text: string) => createHash('sha256').update(text).digest('hex')
const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))

describeEvidenceStore('on disk', async () => ({
  store,
  staged: async () => listFiles(join(root, 'staging')),
  damage: async (org_id, sha256, content) =>
    writeFileSync(join(root, org_id, sha256.slice(0, 2), sha256), content),
}))

describe('the evidence store on disk', () => {
  it('puts content at <org>/<aa>/<sha256>, readable by its owner alone', async () => {
    await (await store.stage(ORG, 'x.txt', Readable.from(['hello']))).keep()
    const path = `${ORG}/${hashText('hello').slice(0, 2)}/${hashText('hello')}`
    expect(listFiles(root)).toEqual([path])
    const modes = ['', ORG, `${ORG}/${hashText('hello').slice(0, 2)}`, path, 'staging'].map(
      below => statSync(join(root, below)).mode & 0o777,
    )
    expect(modes.map(mode => mode.toString(8))).toEqual(['700', '700', '700', '600', '700'])
  })

  it("never uses the sender's file name as a path", async () => {
    await (await store.stage(ORG, '../../../etc/passwd', Readable.from(['x']))).keep()
    expect(readdirSync(join(root, '..'))).toEqual(['evidence'])
    await expect(store.open('../../etc', hashText('x'))).rejects.toThrow('org id')
    await expect(store.open(ORG, '../../../etc/passwd')).rejects.toThrow('hash')
  })

  it('repairs a damaged object when the same content is stored again', async () => {
    await (await store.stage(ORG, 'a', Readable.from(['right']))).keep()
    const path = join(root, ORG, hashText('right').slice(0, 2), hashText('right'))
    await writeFile(path, 'wrong')
    await (await store.stage(ORG, 'b', Readable.from(['right']))).keep()
    expect(await readFile(path, 'utf8')).toBe('right')
  })

  it('lets a reader finish a file that is replaced or removed meanwhile', async () => {
    const content = 'z'.repeat(1_000_000)
    await (await store.stage(ORG, 'a', Readable.from([content]))).keep()
    const opened = await store.open(ORG, hashText(content))
    await store.remove(ORG, hashText(content))
    expect((await buffer(opened?.content ?? Readable.from([]))).toString()).toBe(content)
  })

  it('removes staged files older than a day at startup', async () => {
    const writeLeftOver = (name: string, age_ms: number) => {
      const path = join(root, 'staging', name)
      writeFileSync(path, 'x')
      const time = new Date(NOW.getTime() - age_ms)
      utimesSync(path, time, time)
    }
    writeLeftOver('old', DAY_MS + 1000)
    writeLeftOver('young', DAY_MS - 1000)
    await openDiskEvidence({ root, newName: randomUUID, now: NOW })
    expect(listFiles(join(root, 'staging'))).toEqual(['staging/young'])
  })

  it('lists only its own objects', async () => {
    await mkdir(join(root, ORG, 'zz'), { recursive: true })
    await writeFile(join(root, ORG, 'zz', hashText('misplaced')), 'x')
    await writeFile(join(root, 'README'), 'x')
    await (await store.stage(ORG, 'a', Readable.from(['a']))).keep()
    const listed = await collect(store.list())
    expect(listed.map(({ sha256 }) => sha256)).toEqual([hashText('a')])
  })

  it('does not create its folder again when that is away', async () => {
    const staged = await store.stage(ORG, 'a', Readable.from(['a']))
    await rename(root, `${root}.away`)
    try {
      await expect(staged.keep()).rejects.toThrow('ENOENT')
      expect(existsSync(root)).toBe(false)
      await expect(store.open(ORG, hashText('a'))).rejects.toThrow('ENOENT')
    } finally {
      await rename(`${root}.away`, root)
    }
  })

  it('leaves nothing behind when a write fails', async () => {
    const full = await openDiskEvidence({ root, newName: () => 'no/such/folder', now: NOW })
    const content = Readable.from(['x'])
    await expect(full.stage(ORG, 'a', content)).rejects.toThrow('ENOENT')
    expect(content.destroyed).toBe(true)
    expect(listFiles(root)).toEqual([])
  })
})

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
