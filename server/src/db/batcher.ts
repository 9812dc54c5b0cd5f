// Combines the writes of many requests into few batches: while one batch is at the database, the next one fills. Each
// request gets its own result once its batch has committed. If a batch fails, its items are sent again one by one, so
// that a bad one cannot fail the others. A batch has items of one org only, so that row-level security applies to it.

const MAX_BATCH = 64

export interface Batcher<Item, Outcome> {
  add(org_id: string, item: Item): Promise<Outcome>
}

interface Waiting<Item, Outcome> {
  item: Item
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/** `send` stores the items in one transaction and returns one outcome per item, in the same order. */
export function makeBatcher<Item, Outcome>(
  send: (org_id: string, items: Item[]) => Promise<Outcome[]>,
): Batcher<Item, Outcome> {
  const queues = new Map<string, Waiting<Item, Outcome>[]>()

  async function drainQueue(org_id: string): Promise<void> {
    for (;;) {
      const queue = queues.get(org_id) ?? []
      const batch = queue.splice(0, MAX_BATCH)
      if (batch.length === 0) {
        queues.delete(org_id)
        return
      }
      await sendBatch(org_id, batch)
    }
  }

  async function sendBatch(org_id: string, batch: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await send(
        org_id,
        batch.map(({ item }) => item),
      )
      for (const [i, waiting] of batch.entries()) waiting.resolve(outcomes[i] as Outcome)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else for (const waiting of batch) await sendBatch(org_id, [waiting])
    }
  }

  return {
    add: (org_id, item) =>
      new Promise((resolve, reject) => {
        const queue = queues.get(org_id)
        if (queue) queue.push({ item, resolve, reject })
        else {
          queues.set(org_id, [{ item, resolve, reject }])
          // Deferred, so that everything that arrives in this turn of the event loop joins the same batch.
          setImmediate(() => void drainQueue(org_id))
        }
      }),
  }
}
