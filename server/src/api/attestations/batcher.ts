// The lane that attestations take: gathered per org, stored and judged in one flight.

import { type Batcher, makeBatcher } from '../../db/batcher.ts'
import { type Database, makeStep } from '../../db/database.ts'
import { requestTrailEvaluations } from '../../evaluation/pending-store.ts'
import type { Ids } from '../../lib/ids.ts'
import { buildAnnounceStep } from '../../notifications/flow-announce-store.ts'
import type { Deps } from '../operation.ts'
import { buildRepoSteps } from '../repos/store.ts'
import { countEvidence, lockUsage } from '../shared/usage-store.ts'
import type { RepoInfo } from '../shared/wire.ts'
import { buildEvidenceReads, buildStatesStep } from '../trails/evaluate.ts'
import { lockTrails } from '../trails/evaluate-store.ts'
import { type ReportedAttestation, type StoredAttestation, storeAttestations } from './store.ts'

type AttestationBatcher = Batcher<ReportedAttestation, StoredAttestation>

const batchers = new WeakMap<Database, AttestationBatcher>()

export function getAttestationBatcher({ db, ids }: Deps): AttestationBatcher {
  const batcher = batchers.get(db) ?? makeBatcher((org_id, items) => storeBatch(db, ids, org_id, items))
  batchers.set(db, batcher)
  return batcher
}

async function storeBatch(
  db: Database,
  ids: Ids,
  org_id: string,
  reported: ReportedAttestation[],
): Promise<StoredAttestation[]> {
  const items = reported.map((item, ordinal) => ({ ...item, ordinal }))
  const trails = items.map(({ flow_name, trail_name }) => ({ flow_name, trail_name }))
  const now = new Date(Math.max(...items.map(item => Date.parse(item.now))))
  const steps = [
    makeStep(lockTrails, { org_id, trails }),
    makeStep(storeAttestations, { org_id, items }),
    ...buildEvidenceReads(org_id, trails),
  ]
  const [, stored] = await db.runTwoPartBatch({ org_id }, steps, ([, , ...evidence]) => [
    buildStatesStep(org_id, evidence, now),
    ...buildRepoSteps(
      org_id,
      items.map(item => ({
        ...item,
        fingerprint: item.artifact_fingerprint,
        repo_info: item.report.repo_info as RepoInfo,
      })),
      ids,
      now,
    ),
    makeStep(requestTrailEvaluations, { org_id, trails, actor: items[0]?.actor ?? '', now }),
    ...buildEvidenceSteps(org_id, items),
    buildAnnounceStep(
      org_id,
      items.map(({ event_id }) => event_id),
      now,
    ),
  ])
  return stored as StoredAttestation[]
}

/** Late, so that the row that all evidence of an organization is counted in is locked for as short as possible. */
function buildEvidenceSteps(org_id: string, items: readonly ReportedAttestation[]) {
  const attestation_ids = items.flatMap(item => (item.evidence_sha256 === null ? [] : item.attestation_id))
  if (attestation_ids.length === 0) return []
  return [makeStep(lockUsage, { org_id }), makeStep(countEvidence, { org_id, attestation_ids })]
}
