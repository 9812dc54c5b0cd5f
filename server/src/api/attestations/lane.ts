// The lane that attestations take: gathered per org, stored and judged in one flight.
import { type Database, step } from '../../db/database.ts'
import { type GatheringLane, makeGatheringLane } from '../../db/gather.ts'
import { markTrails } from '../../judging/marks-store.ts'
import type { Ids } from '../../lib/ids.ts'
import { announceStep } from '../../notifying/flow-announce-store.ts'
import type { Deps } from '../operation.ts'
import { repoSteps } from '../repos/store.ts'
import { countEvidence, lockUsage } from '../shared/usage-store.ts'
import type { RepoInfo } from '../shared/wire.ts'
import { judgeTrails, lockTrails } from '../trails/judge-store.ts'
import { type ReportedAttestation, type StoredAttestation, storeAttestations } from './store.ts'

type AttestationLane = GatheringLane<ReportedAttestation, StoredAttestation>

const lanes = new WeakMap<Database, AttestationLane>()

export function attestationLane({ db, ids }: Deps): AttestationLane {
  const lane = lanes.get(db) ?? makeGatheringLane((org_id, items) => send(db, ids, org_id, items))
  lanes.set(db, lane)
  return lane
}

async function send(
  db: Database,
  ids: Ids,
  org_id: string,
  reported: ReportedAttestation[],
): Promise<StoredAttestation[]> {
  const items = reported.map((item, ordinal) => ({ ...item, ordinal }))
  const trails = items.map(({ flow_name, trail_name }) => ({ flow_name, trail_name }))
  const now = new Date(Math.max(...items.map(item => Date.parse(item.now))))
  const [, stored] = await db.flight({ org_id }, [
    step(lockTrails, { org_id, trails }),
    step(storeAttestations, { org_id, items }),
    ...repoSteps(
      org_id,
      items.map(item => ({
        ...item,
        fingerprint: item.artifact_fingerprint,
        repo_info: item.report.repo_info as RepoInfo,
      })),
      ids,
      now,
    ),
    step(judgeTrails, { org_id, trails, now }),
    step(markTrails, { org_id, trails, actor: items[0]?.actor ?? '', now }),
    ...evidenceSteps(org_id, items),
    announceStep(
      org_id,
      items.map(({ event_id }) => event_id),
      now,
    ),
  ])
  return stored as StoredAttestation[]
}

/** Late, so that the row that all evidence of an organization is counted in is locked for as short as possible. */
function evidenceSteps(org_id: string, items: readonly ReportedAttestation[]) {
  const attestation_ids = items.flatMap(item => (item.evidence_sha256 === null ? [] : item.attestation_id))
  if (attestation_ids.length === 0) return []
  return [step(lockUsage, { org_id }), step(countEvidence, { org_id, attestation_ids })]
}
