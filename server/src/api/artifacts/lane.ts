// The lane that artifact reports take: gathered per org, stored and judged in one flight.
import { type Database, type Db, step } from '../../db/database.ts'
import { type GatheringLane, makeGatheringLane } from '../../db/gather.ts'
import { markTrails } from '../../judging/marks-store.ts'
import type { Ids } from '../../lib/ids.ts'
import { announceEvents, announceStep } from '../../notifying/flow-announce-store.ts'
import type { Deps } from '../operation.ts'
import { repoSteps, saveRepoOf } from '../repos/store.ts'
import { judgeTrails, lockTrails } from '../trails/judge-store.ts'
import {
  applyTemplate,
  beginMissingTrails,
  type ReportedArtifact,
  type StoredArtifact,
  storeArtifacts,
} from './report-store.ts'

type ArtifactLane = GatheringLane<ReportedArtifact, StoredArtifact>

const lanes = new WeakMap<Database, ArtifactLane>()

export function artifactLane({ db, ids }: Deps): ArtifactLane {
  const lane = lanes.get(db) ?? makeGatheringLane((org_id, items) => send(db, ids, org_id, items))
  lanes.set(db, lane)
  return lane
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
    saveRepoOf(
      tx,
      org_id,
      { flow_name, trail_name, fingerprint, repo_info: item.report.repo_info },
      ids,
      now,
    ),
    tx.run(judgeTrails, { org_id, trails, now }),
    tx.run(markTrails, { org_id, trails, actor, now }),
    announceEvents(tx, org_id, eventsOf(item), now),
  ])
  return stored ?? { flow_id: null, artifact_id: null }
}

const eventsOf = ({ trail_event_id, event_id }: ReportedArtifact): string[] => [trail_event_id, event_id]

async function send(
  db: Database,
  ids: Ids,
  org_id: string,
  reported: ReportedArtifact[],
): Promise<StoredArtifact[]> {
  const items = reported.map((item, ordinal) => ({ ...item, ordinal }))
  const trails = items.map(({ flow_name, trail_name }) => ({ flow_name, trail_name }))
  const now = new Date(Math.max(...items.map(item => Date.parse(item.now))))
  const [, , stored] = await db.flight({ org_id }, [
    step(beginMissingTrails, { org_id, items }),
    step(lockTrails, { org_id, trails }),
    step(storeArtifacts, { org_id, items }),
    ...repoSteps(
      org_id,
      items.map(item => ({ ...item, repo_info: item.report.repo_info })),
      ids,
      now,
    ),
    step(judgeTrails, { org_id, trails, now }),
    step(markTrails, { org_id, trails, actor: items[0]?.actor ?? '', now }),
    announceStep(org_id, items.flatMap(eventsOf), now),
  ])
  return stored as StoredArtifact[]
}
