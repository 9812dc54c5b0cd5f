// The two ways store and database can differ: objects that no row names, which the sweep removes, and rows whose
// object is gone or damaged, which the check reports.
import type { Readable } from 'node:stream'
import type { Address } from './address.ts'
import type { EvidenceStore } from './evidence.ts'
import { WrongContent } from './verified.ts'

export interface Sweep {
  looked_at: number
  removed: number
  removed_bytes: number
}

/**
 * Removes what was last kept before `now` minus `older_than_ms` and is not referenced. Between being kept and being
 * named by a row an object is an orphan too, so the age must be far above the time a request may take.
 */
export async function sweepOrphans(
  store: EvidenceStore,
  isReferenced: (org_id: string, sha256: string) => Promise<boolean>,
  older_than_ms: number,
  now: Date,
): Promise<Sweep> {
  const kept_before = new Date(now.getTime() - older_than_ms)
  const sweep: Sweep = { looked_at: 0, removed: 0, removed_bytes: 0 }
  for await (const { org_id, sha256, bytes, kept_at } of store.list()) {
    sweep.looked_at += 1
    if (kept_at >= kept_before || (await isReferenced(org_id, sha256))) continue
    // The store looks at the age again: the same content may have been kept since it was listed.
    if (!(await store.remove(org_id, sha256, kept_before))) continue
    sweep.removed += 1
    sweep.removed_bytes += bytes
  }
  return sweep
}

export interface EvidenceReport {
  missing: Address[]
  /** Found only when asked to verify: every object is read to its end. */
  damaged: Address[]
}

export async function checkEvidence(
  store: EvidenceStore,
  references: Iterable<Address> | AsyncIterable<Address>,
  options: { verify: boolean },
): Promise<EvidenceReport> {
  const report: EvidenceReport = { missing: [], damaged: [] }
  for await (const { org_id, sha256 } of references) {
    const opened = await store.open(org_id, sha256)
    if (!opened) report.missing.push({ org_id, sha256 })
    else if (!options.verify) opened.content.destroy()
    else if (!(await isWhole(opened.content))) report.damaged.push({ org_id, sha256 })
  }
  return report
}

async function isWhole(content: Readable): Promise<boolean> {
  try {
    for await (const _ of content);
    return true
  } catch (error) {
    if (error instanceof WrongContent) return false
    throw error
  }
}
