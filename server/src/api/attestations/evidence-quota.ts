// Enforces the evidence quota of an organization. Usage is checked before the attachment is stored, and uploads pending
// in this process count as used.
import { type AppError, outOfStorage } from '../../lib/errors.ts'
import type { Deps } from '../operation.ts'
import { findEvidenceUsage } from '../shared/usage-store.ts'

export interface Attached {
  org: { org_id: string; name: string; quotas: { evidence_bytes: number | null } }
  attachment: { sha256: string; bytes: number }
}

/** Runs `store` if the attachment fits, and throws 507 otherwise. */
export async function withEvidenceQuota<T>(
  { db, pending_uploads }: Pick<Deps, 'db' | 'pending_uploads'>,
  { org, attachment }: Attached,
  store: () => Promise<T>,
): Promise<T> {
  const quota = org.quotas.evidence_bytes
  if (quota === null) return store()
  for (;;) {
    const before = pending_uploads.list(org.org_id)
    const { evidence_bytes, is_stored } = await findEvidenceUsage(db, org.org_id, attachment.sha256)
    // Uploads pending before the query may be in its result too. Counting them twice only causes another try.
    const counted = new Set([...before, ...pending_uploads.list(org.org_id)])
    const usedBytes = [...counted].reduce((sum, { bytes }) => sum + bytes, evidence_bytes)
    if (is_stored || usedBytes + attachment.bytes <= quota) break
    if (counted.size === 0)
      throw overQuota(org.name, attachment.bytes, { quota, left: quota - evidence_bytes })
    await Promise.race([...counted].map(({ done }) => done))
  }
  return pending_uploads.run(org.org_id, attachment.bytes, store)
}

function overQuota(org: string, bytes: number, { quota, left }: { quota: number; left: number }): AppError {
  return outOfStorage(
    `The attachment has ${bytes} bytes, and organization '${org}' has ${Math.max(0, left)} of its quota of ${quota} ` +
      'bytes of evidence left; the operator can raise the quota',
  )
}
