// Batches artifact reports per organization: each batch is stored and evaluated in one round trip to the database.

import { type Batcher, makeBatcher } from '../../db/batcher.ts'
import { type Database, type Db, makeStep } from '../../db/database.ts'
import { requestTrailEvaluations } from '../../evaluation/pending-store.ts'
import type { Ids } from '../../lib/ids.ts'
import { announceEvents, buildAnnounceStep } from '../../notifications/flow-announce-store.ts'
import type { Deps } from '../operation.ts'
import { buildRepoSteps, saveReportedRepo } from '../repos/store.ts'
import { evaluateTrails, lockTrails } from '../trails/evaluate-store.ts'
import {
  applyTemplate,
  beginMissingTrails,
  type ReportedArtifact,
  type StoredArtifact,
  storeArtifacts,
} from './report-store.ts'

type ArtifactBatcher = Batcher<ReportedArtifact, StoredArtifact>

const batchers = new WeakMap<Database, ArtifactBatcher>()

export function getArtifactBatcher({ db, ids }: Deps): ArtifactBatcher {
  const batcher = batchers.get(db) ?? makeBatcher((org_id, items) => storeBatch(db, ids, org_id, items))
  batchers.set(db, batcher)
  return batcher
}

/** Stores one report that has a template for its trail. Returns nulls when the flow does not exist. */
export async function storeWithTemplate(
  tx: Db,
  org_id: string,
  item: ReportedArtifact,
  { ids }: Deps,
): Promise<Pick<StoredArtifact, 'flow_id' | 'artifact_id'>> {
  const { flow_name, trail_name, actor, fingerprint } = item
  const trails = [{ flow_name, trail_name }]
  const now = new Date(item.now)
  // Sent together, run in this order.
  const [, , , [stored]] = await Promise.all([
    tx.run(beginMissingTrails, { org_id, items: [item] }),
    tx.run(applyTemplate, { org_id, item }),
    tx.run(lockTrails, { org_id, trails }),
    tx.run(storeArtifacts, { org_id, items: [item] }),
    saveReportedRepo(
      tx,
      org_id,
      { flow_name, trail_name, fingerprint, repo_info: item.report.repo_info },
      ids,
      now,
    ),
    tx.run(evaluateTrails, { org_id, trails, now }),
    tx.run(requestTrailEvaluations, { org_id, trails, actor, now }),
    announceEvents(tx, org_id, getEventIds(item), now),
  ])
  return stored ?? { flow_id: null, artifact_id: null }
}

const getEventIds = ({ trail_event_id, event_id }: ReportedArtifact): string[] => [trail_event_id, event_id]

async function storeBatch(
  db: Database,
  ids: Ids,
  org_id: string,
  reported: ReportedArtifact[],
): Promise<StoredArtifact[]> {
  const items = reported.map((item, ordinal) => ({ ...item, ordinal }))
  const trails = items.map(({ flow_name, trail_name }) => ({ flow_name, trail_name }))
  const now = new Date(Math.max(...items.map(item => Date.parse(item.now))))
  const [, , stored] = await db.runBatch({ org_id }, [
    makeStep(beginMissingTrails, { org_id, items }),
    makeStep(lockTrails, { org_id, trails }),
    makeStep(storeArtifacts, { org_id, items }),
    ...buildRepoSteps(
      org_id,
      items.map(item => ({ ...item, repo_info: item.report.repo_info })),
      ids,
      now,
    ),
    makeStep(evaluateTrails, { org_id, trails, now }),
    makeStep(requestTrailEvaluations, { org_id, trails, actor: items[0]?.actor ?? '', now }),
    buildAnnounceStep(org_id, items.flatMap(getEventIds), now),
  ])
  return stored as StoredArtifact[]
}
