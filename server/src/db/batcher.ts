// Gathers what many requests want stored into few flights: while one is at the database the next one fills. Each
// request is answered by its own part of the answer, after the commit that holds it; when a flight fails its requests
// go again one by one, so that a bad one cannot fail its neighbours. A flight holds requests of one org only, so that
// row-level security covers it.

const MAX_BATCH = 64

export interface Batcher<Item, Outcome> {
  add(org_id: string, item: Item): Promise<Outcome>
}

interface Waiting<Item, Outcome> {
  item: Item
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/** `send` stores the items in one transaction and answers with one outcome each, in their order. */
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
          // After this turn of the loop: what arrives with it flies with it.
          setImmediate(() => void drainQueue(org_id))
        }
      }),
  }
}
