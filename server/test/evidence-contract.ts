// The tests that every evidence store must pass; each store runs them in its own test file.
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { EvidenceStore } from '../src/evidence/evidence.ts'

const ORG = '01980000-0000-7000-8000-00000000000a'
const OTHER_ORG = '01980000-0000-7000-8000-00000000000b'
const MIB = 1024 * 1024

export interface StoreUnderTest {
  store: EvidenceStore
  /** The files that are currently staged. */
  staged(): Promise<string[]>
  /** Replaces the content of an object. */
  damage(org_id: string, sha256: string, content: Buffer): Promise<void>
}

export function describeEvidenceStore(name: string, subject: () => Promise<StoreUnderTest>): void {
  describe(`an evidence store ${name}`, () => {
    testStaging(subject)
    testContent(subject)
    testAnchors(subject)
  })
}

function testStaging(subject: () => Promise<StoreUnderTest>): void {
  it('keeps staged evidence per org, and returns it', async () => {
    const { store, staged } = await subject()
    const content = randomBytes(100_000)
    const evidence = await store.stage(ORG, 'results.xml', streamInPieces(content))
    expect(evidence).toMatchObject({ name: 'results.xml', bytes: 100_000, sha256: hash(content) })
    expect(await store.open(ORG, evidence.sha256)).toBeUndefined()
    await evidence.keep()
    expect(await readContent(store, ORG, evidence.sha256)).toEqual(content)
    expect(await store.open(OTHER_ORG, evidence.sha256)).toBeUndefined()
    expect(await staged()).toEqual([])
  })

  it('keeps the same content twice as one object, and keeping again changes nothing', async () => {
    const { store, staged } = await subject()
    const [first, second] = [
      await store.stage(ORG, 'a', streamInPieces(Buffer.from('x'))),
      await store.stage(ORG, 'b', streamInPieces(Buffer.from('x'))),
    ]
    await Promise.all([first.keep(), second.keep()])
    await first.keep()
    await first.discard()
    expect(await listObjects(store)).toEqual([[ORG, hash(Buffer.from('x')), 1]])
    expect(await staged()).toEqual([])
  })

  it('drops discarded evidence', async () => {
    const { store, staged } = await subject()
    const evidence = await store.stage(ORG, 'a', streamInPieces(Buffer.from('x')))
    expect(await staged()).toHaveLength(1)
    await evidence.discard()
    await evidence.discard()
    expect(await staged()).toEqual([])
    await expect(evidence.keep()).rejects.toThrow('discarded')
    expect(await listObjects(store)).toEqual([])
  })

  it('stores nothing from a stream that fails', async () => {
    const { store, staged } = await subject()
    const failing = Readable.from(
      (async function* () {
        yield Buffer.alloc(MIB)
        throw new Error('the sender went away')
      })(),
    )
    await expect(store.stage(ORG, 'a', failing)).rejects.toThrow('the sender went away')
    expect(await staged()).toEqual([])
    expect(await listObjects(store)).toEqual([])
  })
}

function testContent(subject: () => Promise<StoreUnderTest>): void {
  it('accepts empty and large content', async () => {
    const { store } = await subject()
    for (const content of [Buffer.alloc(0), randomBytes(20 * MIB + 17)]) {
      const evidence = await store.stage(ORG, 'a', streamInPieces(content))
      await evidence.keep()
      const opened = await store.open(ORG, evidence.sha256)
      expect(opened?.bytes).toBe(content.length)
      opened?.content.destroy()
      expect(hash(await readContent(store, ORG, evidence.sha256))).toBe(hash(content))
    }
  })

  it('never returns all of a content that does not match its hash', async () => {
    const { store, damage } = await subject()
    const content = randomBytes(300_000)
    const evidence = await store.stage(ORG, 'a', streamInPieces(content))
    await evidence.keep()
    content[0] = (content[0] ?? 0) ^ 1
    await damage(ORG, evidence.sha256, content)
    const opened = await store.open(ORG, evidence.sha256)
    let received = 0
    const reading = async () => {
      for await (const chunk of opened?.content ?? []) received += chunk.length
    }
    await expect(reading()).rejects.toThrow(`The evidence ${evidence.sha256} is damaged`)
    expect(received).toBeLessThan(content.length)
  })

  it('lists and removes, and spares evidence that was kept since', async () => {
    const { store } = await subject()
    const start = new Date(Date.now() - 60_000)
    for (const [org_id, text] of [
      [ORG, 'a'],
      [ORG, 'b'],
      [OTHER_ORG, 'a'],
    ] as const) {
      await (await store.stage(org_id, 'x', streamInPieces(Buffer.from(text)))).keep()
    }
    const [a, b] = [hash(Buffer.from('a')), hash(Buffer.from('b'))]
    for await (const { kept_at } of store.list()) expect(kept_at.getTime()).toBeGreaterThan(start.getTime())
    expect(await store.remove(ORG, a, start)).toBe(false)
    expect(await store.remove(ORG, b, new Date(Date.now() + 60_000))).toBe(true)
    expect(await store.remove(ORG, b, start)).toBe(true)
    expect(await store.remove(OTHER_ORG, a)).toBe(true)
    expect(await listObjects(store)).toEqual([[ORG, a, 1]])
  })
}

function testAnchors(subject: () => Promise<StoreUnderTest>): void {
  it('lists the names of all anchors in order, from where it stopped', async () => {
    const { anchors } = (await subject()).store
    expect(await anchors.listNames(undefined, 100)).toEqual([])
    const names = [ORG, OTHER_ORG].flatMap(org_id => ['1-1', '1-2', '2-1'].map(name => ({ org_id, name })))
    for (const { org_id, name } of names) await anchors.add(org_id, name, 'x')
    expect(await anchors.listNames(undefined, 100)).toEqual(names)
    expect(await anchors.listNames(names[1], 3)).toEqual(names.slice(2, 5))
    expect(await anchors.listNames(names[5], 3)).toEqual([])
  })
}

function hash(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

async function readContent(store: EvidenceStore, org_id: string, sha256: string): Promise<Buffer> {
  const opened = await store.open(org_id, sha256)
  return buffer(opened?.content ?? Readable.from([]))
}

async function listObjects(store: EvidenceStore): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const { org_id, sha256, bytes } of store.list()) found.push([org_id, sha256, bytes])
  return found.sort()
}

function streamInPieces(content: Buffer): Readable {
  const pieces: Buffer[] = []
  for (let from = 0; from < content.length; from += 65_536) pieces.push(content.subarray(from, from + 65_536))
  return Readable.from(pieces)
}
