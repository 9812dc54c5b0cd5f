import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDiskEvidence } from './disk.ts'
import type { EvidenceStore } from './evidence.ts'
import { checkEvidence, sweepOrphans } from './sweep.ts'

const ORG = '01980000-0000-7000-8000-000000000000'
const NOW = new Date('2026-03-03T12:00:00Z')
const HOUR_MS = 60 * 60 * 1000

let root: string
let store: EvidenceStore
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'waybill-sweep-'))
  store = await openDiskEvidence({ root, newName: randomUUID, now: NOW })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const hashText = (text: string) => createHash('sha256').update(text).digest('hex')
const buildObjectPath = (text: string) => join(root, ORG, hashText(text).slice(0, 2), hashText(text))

async function keep(text: string, age_ms: number): Promise<void> {
  await (await store.stage(ORG, 'x', Readable.from([text]))).keep()
  const time = new Date(NOW.getTime() - age_ms)
  utimesSync(buildObjectPath(text), time, time)
}

async function listLeft(): Promise<string[]> {
  const found: string[] = []
  for await (const { sha256 } of store.list()) found.push(sha256)
  return found.sort()
}

describe('the sweep', () => {
  it('removes old unreferenced objects, and nothing else', async () => {
    await keep('old orphan', 2 * HOUR_MS)
    await keep('young orphan', HOUR_MS / 2)
    await keep('old and named', 2 * HOUR_MS)
    const sweep = await sweepOrphans(
      store,
      async (_, sha256) => sha256 === hashText('old and named'),
      HOUR_MS,
      NOW,
    )
    expect(sweep).toEqual({ looked_at: 3, removed: 1, removed_bytes: 10 })
    expect(await listLeft()).toEqual([hashText('young orphan'), hashText('old and named')].sort())
  })

  it('spares an orphan that is kept again while the sweep checks it', async () => {
    await keep('again', 2 * HOUR_MS)
    const keepMeanwhile = async () => {
      await keep('again', 0)
      return false
    }
    expect(await sweepOrphans(store, keepMeanwhile, HOUR_MS, NOW)).toMatchObject({ removed: 0 })
    expect(await listLeft()).toEqual([hashText('again')])
  })
})

describe('the check', () => {
  it('reports missing objects and, if asked to verify, damaged ones', async () => {
    await keep('whole', 0)
    await keep('damaged', 0)
    writeFileSync(buildObjectPath('damaged'), 'other')
    const references = ['whole', 'damaged', 'missing'].map(text => ({ org_id: ORG, sha256: hashText(text) }))
    const [, damaged, missing] = references
    expect(await checkEvidence(store, references, { verify: false })).toEqual({
      missing: [missing],
      damaged: [],
    })
    expect(await checkEvidence(store, references, { verify: true })).toEqual({
      missing: [missing],
      damaged: [damaged],
    })
  })
})
