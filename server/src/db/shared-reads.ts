// Identical reads that wait at the same time share one answer. A read that finds its twin under way does not take that
// answer, which may be older than a write its caller has just seen acknowledged: it waits for the next one, together
// with everybody else who came meanwhile. So every answer is asked for after the last of its readers arrived.

export interface SharedReads {
  /** `ask` is called at most once at a time for a key. The answer belongs to several readers: nobody changes it. */
  read<T>(key: string, ask: () => Promise<T>): Promise<T>
}

interface PendingRead {
  /** Settles when the answer under way has come, whatever it is. */
  under_way: Promise<unknown>
  next: Promise<unknown> | undefined
}

export function makeSharedReads(): SharedReads {
  const pendingReads = new Map<string, PendingRead>()

  function start<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const answer = ask()
    const pending: PendingRead = { under_way: answer.then(ignore, ignore), next: undefined }
    pendingReads.set(key, pending)
    pending.under_way.then(() => {
      if (pendingReads.get(key) === pending && !pending.next) pendingReads.delete(key)
    })
    return answer
  }

  return {
    read: <T>(key: string, ask: () => Promise<T>): Promise<T> => {
      const pending = pendingReads.get(key)
      if (!pending) return start(key, ask)
      pending.next ??= pending.under_way.then(() => start(key, ask))
      return pending.next as Promise<T>
    },
  }
}

function ignore(): void {
  // The reader that asked hears of a failure; those who wait ask again.
}
