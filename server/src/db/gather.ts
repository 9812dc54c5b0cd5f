// Gathers what many requests want stored into few flights: while one is at the database the next one fills. Each
// request is answered by its own part of the answer, after the commit that holds it; when a flight fails its requests
// go again one by one, so that a bad one cannot fail its neighbours. A flight holds requests of one org only, so that
// row-level security covers it.

const MOST_IN_A_FLIGHT = 64

export interface GatheringLane<Item, Outcome> {
  add(org_id: string, item: Item): Promise<Outcome>
}

interface Waiting<Item, Outcome> {
  item: Item
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/** `send` stores the items in one transaction and answers with one outcome each, in their order. */
export function makeGatheringLane<Item, Outcome>(
  send: (org_id: string, items: Item[]) => Promise<Outcome[]>,
): GatheringLane<Item, Outcome> {
  const queues = new Map<string, Waiting<Item, Outcome>[]>()

  async function fly(org_id: string): Promise<void> {
    for (;;) {
      const queue = queues.get(org_id) ?? []
      const flight = queue.splice(0, MOST_IN_A_FLIGHT)
      if (flight.length === 0) {
        queues.delete(org_id)
        return
      }
      await land(org_id, flight)
    }
  }

  async function land(org_id: string, flight: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await send(
        org_id,
        flight.map(({ item }) => item),
      )
      for (const [i, waiting] of flight.entries()) waiting.resolve(outcomes[i] as Outcome)
    } catch (error) {
      if (flight.length === 1) flight[0]?.reject(error)
      else for (const waiting of flight) await land(org_id, [waiting])
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
          setImmediate(() => void fly(org_id))
        }
      }),
  }
}
