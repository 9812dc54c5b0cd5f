// Enforces the evidence quota of an organization. Usage is checked before the attachment is stored, and uploads pending
// in this process count as used.
import type { Database } from '../../db/database.ts'
import { type AppError, noRoom } from '../../lib/errors.ts'
import { findEvidenceUsage } from '../shared/usage-store.ts'

export interface Attached {
  org: { org_id: string; name: string; quotas: { evidence_bytes: number | null } }
  attachment: { sha256: string; bytes: number }
}

interface PendingUpload {
  bytes: number
  done: Promise<unknown>
}

const pendingUploads = new WeakMap<Database, Map<string, Set<PendingUpload>>>()

/** Runs `store` if the attachment fits, and throws 507 otherwise. */
export async function withEvidenceQuota<T>(
  db: Database,
  { org, attachment }: Attached,
  store: () => Promise<T>,
): Promise<T> {
  const quota = org.quotas.evidence_bytes
  if (quota === null) return store()
  const others = getPendingUploads(db, org.org_id)
  for (;;) {
    const before = [...others]
    const { evidence_bytes, is_stored } = await findEvidenceUsage(db, org.org_id, attachment.sha256)
    // Uploads pending before the query may be in its result too. Counting them twice only causes another try.
    const counted = new Set([...before, ...others])
    const usedBytes = [...counted].reduce((sum, { bytes }) => sum + bytes, evidence_bytes)
    if (is_stored || usedBytes + attachment.bytes <= quota) break
    if (counted.size === 0)
      throw overQuota(org.name, attachment.bytes, { quota, left: quota - evidence_bytes })
    await Promise.race([...counted].map(({ done }) => done))
  }
  const stored = store()
  const own: PendingUpload = { bytes: attachment.bytes, done: stored.catch(() => undefined) }
  others.add(own)
  try {
    return await stored
  } finally {
    others.delete(own)
  }
}

function getPendingUploads(db: Database, org_id: string): Set<PendingUpload> {
  const orgs = pendingUploads.get(db) ?? new Map<string, Set<PendingUpload>>()
  pendingUploads.set(db, orgs)
  const others = orgs.get(org_id) ?? new Set<PendingUpload>()
  orgs.set(org_id, others)
  return others
}

function overQuota(org: string, bytes: number, { quota, left }: { quota: number; left: number }): AppError {
  return noRoom(
    `The attachment has ${bytes} bytes, and organization '${org}' has ${Math.max(0, left)} of its quota of ${quota} ` +
      'bytes of evidence left; the operator can raise the quota',
  )
}
