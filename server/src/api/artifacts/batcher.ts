// The lane that artifact reports take: gathered per org, stored and judged in one flight.

import { type Batcher, makeBatcher } from '../../db/batcher.ts'
import { type Database, type Db, makeStep } from '../../db/database.ts'
import { requestTrailEvaluations } from '../../evaluation/pending-store.ts'
import type { Ids } from '../../lib/ids.ts'
import { announceEvents, buildAnnounceStep } from '../../notifications/flow-announce-store.ts'
import type { Deps } from '../operation.ts'
import { buildRepoSteps, saveReportedRepo } from '../repos/store.ts'
import { buildEvidenceReads, buildStatesStep, evaluateTrails } from '../trails/evaluate.ts'
import { lockTrails } from '../trails/evaluate-store.ts'
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

/** One report that brings a template for its trail. Answers nulls when the flow is not there. */
export async function storeWithTemplate(
  tx: Db,
  org_id: string,
  item: ReportedArtifact,
  { ids }: Deps,
): Promise<Pick<StoredArtifact, 'flow_id' | 'artifact_id'>> {
  const { flow_name, trail_name, actor, fingerprint } = item
  const trails = [{ flow_name, trail_name }]
  const now = new Date(item.now)
  // Sent together, done in this order.
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
  ])
  await Promise.all([
    evaluateTrails(tx, org_id, trails, now),
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
  const steps = [
    makeStep(beginMissingTrails, { org_id, items }),
    makeStep(lockTrails, { org_id, trails }),
    makeStep(storeArtifacts, { org_id, items }),
    ...buildEvidenceReads(org_id, trails),
  ]
  const [, , stored] = await db.runTwoPartBatch({ org_id }, steps, ([, , , ...evidence]) => [
    buildStatesStep(org_id, evidence, now),
    ...buildRepoSteps(
      org_id,
      items.map(item => ({ ...item, repo_info: item.report.repo_info })),
      ids,
      now,
    ),
    makeStep(requestTrailEvaluations, { org_id, trails, actor: items[0]?.actor ?? '', now }),
    buildAnnounceStep(org_id, items.flatMap(getEventIds), now),
  ])
  return stored as StoredArtifact[]
}
