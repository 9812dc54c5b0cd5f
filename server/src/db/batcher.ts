// Combines the writes of many requests into few batches: while one batch is at the database, the next one fills. A
// batch that fills quickly is sent without waiting for the first: the process prepares one while the database stores
// the other. Each request gets its own result once its batch has committed. If a batch fails, its items are sent
// again one by one, so that a bad one cannot fail the others. A batch has items of one org only, so that row-level
// security applies to it.
import { finishIn, type Span, type Tracer } from '../lib/tracing.ts'

const MAX_BATCH = 64
const MAX_SENT = 2
/** Fewer items wait for the batch under way: small batches cost the database more per item. */
const WORTH_A_SECOND = 8

export interface Batcher<Item, Outcome> {
  add(org_id: string, item: Item): Promise<Outcome>
}

interface Waiting<Item, Outcome> {
  item: Item
  /** The span in which the item was added. */
  span: Span | undefined
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/** `send` stores the items in one transaction and returns one outcome per item, in the same order. */
export function makeBatcher<Item, Outcome>(
  send: (org_id: string, items: Item[]) => Promise<Outcome[]>,
  tracer?: Tracer,
): Batcher<Item, Outcome> {
  const orgs = new Map<string, { queue: Waiting<Item, Outcome>[]; senders: number }>()

  /** Sends batches one after the other until nothing waits. */
  async function drainQueue(org_id: string): Promise<void> {
    const org = orgs.get(org_id)
    while (org && org.queue.length > 0) await sendBatch(org_id, org.queue.splice(0, MAX_BATCH))
    if (org && --org.senders === 0) orgs.delete(org_id)
  }

  async function sendBatch(org_id: string, batch: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item)
      const spans = batch.flatMap(({ span }) => span ?? [])
      const outcomes = await traceBatch(tracer, spans, () => send(org_id, items))
      for (const [i, waiting] of batch.entries()) waiting.resolve(outcomes[i] as Outcome)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else for (const waiting of batch) await sendBatch(org_id, [waiting])
    }
  }

  return {
    add: (org_id, item) =>
      new Promise((resolve, reject) => {
        const org = orgs.get(org_id) ?? { queue: [], senders: 0 }
        orgs.set(org_id, org)
        org.queue.push({ item, span: tracer?.getCurrent(), resolve, reject })
        const isWorthSending = org.senders === 0 || org.queue.length >= WORTH_A_SECOND
        if (org.senders === MAX_SENT || !isWorthSending) return
        org.senders += 1
        // Deferred, so that everything that arrives in this turn of the event loop joins the same batch.
        setImmediate(() => void drainQueue(org_id))
      }),
  }
}

/** A batch is part of the first traced request; the others are linked, because a span has one parent. */
async function traceBatch<T>(
  tracer: Tracer | undefined,
  spans: readonly Span[],
  work: () => Promise<T>,
): Promise<T> {
  const [first, ...others] = spans.filter(({ is_sampled }) => is_sampled)
  if (!tracer || !first) return work()
  const start = {
    name: 'store batch',
    kind: 'internal',
    attributes: { 'waybill.batch.items': spans.length },
  } as const
  const span = tracer.runIn(first, () => tracer.start(start, others))
  return finishIn(tracer, span, work)
}
