// The batchers of an application: concurrent reports of one organization are stored together.
import { type Batcher, makeBatcher } from '../db/batcher.ts'
import type { Database, Pipeline } from '../db/database.ts'
import type { Ids } from '../lib/ids.ts'
import type { Tracer } from '../lib/tracing.ts'
import type { WorkCounters } from '../lib/work-counters.ts'

/** Builds the transaction for a batch, with one outcome for each item, in the same order. */
type BuildBatch<Item, Outcome> = (ids: Ids, org_id: string, items: Item[]) => Pipeline<Outcome[]>

export interface Batches {
  /** Adds the item to the next batch with the same builder and returns its outcome after the commit. */
  add<Item, Outcome>(buildBatch: BuildBatch<Item, Outcome>, org_id: string, item: Item): Promise<Outcome>
}

export function makeBatches(db: Database, ids: Ids, work: WorkCounters, tracer: Tracer | undefined): Batches {
  const batchers = new Map<unknown, unknown>()

  function getBatcher<Item, Outcome>(buildBatch: BuildBatch<Item, Outcome>): Batcher<Item, Outcome> {
    const batcher =
      (batchers.get(buildBatch) as Batcher<Item, Outcome> | undefined) ??
      makeBatcher<Item, Outcome>((org_id, items) => {
        work.batches += 1
        work.batch_items += items.length
        return db.runPipeline({ org_id }, buildBatch(ids, org_id, items))
      }, tracer)
    batchers.set(buildBatch, batcher)
    return batcher
  }

  return { add: (buildBatch, org_id, item) => getBatcher(buildBatch).add(org_id, item) }
}
