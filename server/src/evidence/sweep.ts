// Compares the evidence store with the database. The sweep removes objects that no row refers to; the check reports
// rows whose object is missing or damaged.
import type { Readable } from 'node:stream'
import { EvidenceDamaged } from '../lib/errors.ts'
import type { Address } from './address.ts'
import type { EvidenceStore } from './evidence.ts'

export interface Sweep {
  looked_at: number
  removed: number
  removed_bytes: number
}

/**
 * Removes unreferenced objects that were last kept before `now` minus `older_than_ms`. A new object is unreferenced
 * until its row is written, so the age must be far longer than a request can take.
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
    // The store checks the age again, because the same content may have been kept since it was listed.
    if (!(await store.remove(org_id, sha256, kept_before))) continue
    sweep.removed += 1
    sweep.removed_bytes += bytes
  }
  return sweep
}

export interface EvidenceReport {
  missing: Address[]
  /** Only with `verify`, which reads every object completely. */
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
    else if (!(await isIntact(opened.content))) report.damaged.push({ org_id, sha256 })
  }
  return report
}

async function isIntact(content: Readable): Promise<boolean> {
  try {
    for await (const _ of content);
    return true
  } catch (error) {
    if (error instanceof EvidenceDamaged) return false
    throw error
  }
}
