// The unfinished evidence uploads of this process, by organization. Quotas count them as used.

interface PendingUpload {
  bytes: number
  /** Settles when the upload ends, and never rejects. */
  done: Promise<unknown>
}

export interface PendingUploads {
  list(org_id: string): PendingUpload[]
  /** Starts the upload, which is pending until it ends. */
  run<T>(org_id: string, bytes: number, upload: () => Promise<T>): Promise<T>
}

export function makePendingUploads(): PendingUploads {
  const orgs = new Map<string, Set<PendingUpload>>()
  return {
    list: org_id => [...(orgs.get(org_id) ?? [])],
    run: async (org_id, bytes, upload) => {
      const running = upload()
      const own = { bytes, done: running.catch(() => undefined) }
      const pending = orgs.get(org_id) ?? new Set<PendingUpload>()
      orgs.set(org_id, pending.add(own))
      try {
        return await running
      } finally {
        pending.delete(own)
        if (pending.size === 0) orgs.delete(org_id)
      }
    },
  }
}
