import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { EvidenceDamaged, evidenceFailed } from '../lib/errors.ts'
import type { EvidenceStore } from './evidence.ts'
import { watchEvidence } from './watched.ts'

const MINUTE_MS = 60_000
const ADDRESS = { org_id: '01980000-0000-7000-8000-000000000000', sha256: 'a'.repeat(64) }

function watch() {
  const lines: string[] = []
  let now_ms = 0
  let fault: Error | undefined
  let content: Readable = Readable.from([])
  const use = async () => {
    if (fault) throw fault
  }
  const store = {
    probe: use,
    open: async () => ({ bytes: 0, content }),
  } as Partial<EvidenceStore> as EvidenceStore
  const watched = watchEvidence(store, {
    clock: { now: () => new Date(now_ms), monotonic_ms: () => now_ms, unix_ms: () => now_ms },
    onFault: reason => lines.push(reason),
    onRecovery: () => lines.push('well'),
    onCut: reason => lines.push(`cut: ${reason}`),
    onDamage: ({ sha256 }, reason) => lines.push(`damaged ${sha256.slice(0, 1)}: ${reason}`),
  })
  return {
    lines,
    watched,
    /** Each name is a fault, except `well`. */
    probe: async (...names: string[]) => {
      for (const name of names) {
        fault = name === 'well' ? undefined : evidenceFailed(name, { cause: undefined, lasting: false })
        await watched.probe().catch(() => undefined)
      }
    },
    pass: (ms: number) => {
      now_ms += ms
    },
    /** Reads content that fails. */
    read: async (error: Error) => {
      content = new Readable({ read: () => void content.destroy(error) })
      const opened = await watched.open(ADDRESS.org_id, ADDRESS.sha256)
      await expect(opened?.content.toArray()).rejects.toBe(error)
    },
  }
}

describe('the report of a fault', () => {
  it('is made once while it lasts, and when it ends', async () => {
    const { lines, probe, pass } = watch()
    for (let i = 0; i < 5; i++) {
      await probe('refused', 'refused')
      pass(MINUTE_MS)
    }
    await probe('well', 'well')
    expect(lines).toEqual(['refused', 'well'])
  })

  it('is made at once for another cause, and again for neither while they take turns', async () => {
    const { lines, probe, pass, watched } = watch()
    await probe('refused', 'denied', 'refused', 'denied', 'refused')
    expect(lines).toEqual(['refused', 'denied'])
    expect(watched.getFault()).toBe('refused')
    pass(MINUTE_MS)
    await probe('refused', 'denied', 'well')
    expect(lines.slice(2)).toEqual(['refused', 'denied', 'well'])
  })

  it('is made once a minute if some attempts succeed', async () => {
    const { lines, probe, pass } = watch()
    await probe('full', 'well', 'full', 'well', 'full', 'well')
    pass(MINUTE_MS)
    await probe('full', 'well')
    expect(lines).toEqual(['full', 'well', 'full', 'well'])
  })
})

describe('a read that breaks off', () => {
  it('is reported once a minute, and the store stays ready', async () => {
    const { lines, read, watched } = watch()
    const broken = evidenceFailed('broke off', { cause: undefined, lasting: false })
    for (let i = 0; i < 3; i++) await read(broken)
    expect(lines).toEqual(['cut: broke off'])
    expect(watched.getFault()).toBeUndefined()
  })

  it('because of damage is an alarm each time', async () => {
    const { lines, read } = watch()
    for (let i = 0; i < 2; i++) await read(new EvidenceDamaged(ADDRESS.sha256, 'another hash'))
    expect(lines).toEqual(['damaged a: another hash', 'damaged a: another hash'])
  })
})
