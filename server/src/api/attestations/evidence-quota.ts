// Enforces the evidence quota of an organization. Usage is checked before the files are stored, and uploads pending
// in this process count as used.

import type { EvidenceFile } from '../../domain/evidence/files.ts'
import { type AppError, outOfStorage } from '../../lib/errors.ts'
import type { Deps } from '../operation.ts'
import { findEvidenceUsage } from '../shared/usage-store.ts'

export interface Attached {
  org: { org_id: string; name: string; quotas: { evidence_bytes: number | null } }
  files: readonly Pick<EvidenceFile, 'stored_sha256' | 'stored_bytes'>[]
}

/** Runs `store` if the files fit, and throws 507 otherwise. */
export async function withEvidenceQuota<T>(
  { db, pending_uploads }: Pick<Deps, 'db' | 'pending_uploads'>,
  { org, files }: Attached,
  store: () => Promise<T>,
): Promise<T> {
  const quota = org.quotas.evidence_bytes
  if (quota === null) return store()
  const sizes = new Map(files.map(({ stored_sha256, stored_bytes }) => [stored_sha256, stored_bytes]))
  for (;;) {
    const before = pending_uploads.list(org.org_id)
    const { evidence_bytes, stored } = await findEvidenceUsage(db, org.org_id, [...sizes.keys()])
    const added = [...sizes].reduce((sum, [sha256, bytes]) => sum + (stored.includes(sha256) ? 0 : bytes), 0)
    // Uploads pending before the query may be in its result too. Counting them twice only causes another attempt.
    const counted = new Set([...before, ...pending_uploads.list(org.org_id)])
    const usedBytes = [...counted].reduce((sum, { bytes }) => sum + bytes, evidence_bytes)
    if (added === 0 || usedBytes + added <= quota) break
    if (counted.size === 0) throw overQuota(org.name, added, { quota, left: quota - evidence_bytes })
    await Promise.race([...counted].map(({ done }) => done))
  }
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  return pending_uploads.run(org.org_id, bytes, store)
}

function overQuota(org: string, bytes: number, { quota, left }: { quota: number; left: number }): AppError {
  return outOfStorage(
    `The attachment has ${bytes} bytes, and organization '${org}' has ${Math.max(0, left)} of its quota of ${quota} ` +
      'bytes of evidence left; the operator can raise the quota',
  )
}
