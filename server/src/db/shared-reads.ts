// Lets identical concurrent reads share one query. A read that finds an identical one in progress does not use its
// result, which may be older than a write that its caller has just seen acknowledged. It waits for the next query,
// together with all reads that arrive meanwhile. So every query starts after the last of its readers arrived.

export interface SharedReads {
  /** For each key, one `query` runs at a time. Several readers share the result, so nobody may change it. */
  read<T>(key: string, query: () => Promise<T>): Promise<T>
}

interface PendingRead {
  /** Resolves when the current query has ended, with or without an error. */
  current: Promise<unknown>
  next: Promise<unknown> | undefined
}

export function makeSharedReads(): SharedReads {
  const pendingReads = new Map<string, PendingRead>()

  function start<T>(key: string, query: () => Promise<T>): Promise<T> {
    const result = query()
    const pending: PendingRead = { current: result.then(ignore, ignore), next: undefined }
    pendingReads.set(key, pending)
    pending.current.then(() => {
      if (pendingReads.get(key) === pending && !pending.next) pendingReads.delete(key)
    })
    return result
  }

  return {
    read: <T>(key: string, query: () => Promise<T>): Promise<T> => {
      const pending = pendingReads.get(key)
      if (!pending) return start(key, query)
      pending.next ??= pending.current.then(() => start(key, query))
      return pending.next as Promise<T>
    },
  }
}

function ignore(): void {
  // The reader that started the query gets its error; those that wait start another query.
}
