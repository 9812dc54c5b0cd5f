// Selects the snapshots to try a policy on: those the caller names, or those that the policy affects. Each comes with
// the current policies and allow-list of its environment.
import type { Db } from '../../db/database.ts'
import { type AllowListed, type AttachedPolicy, readEnvironmentRules } from '../../evaluation/rules-store.ts'
import { badRequest } from '../../lib/errors.ts'
import type { CallerOrg } from '../operation.ts'
import { type NamedSnapshot, parseNamedSnapshot, requireHead } from '../snapshots/problems.ts'
import { listMemberHeads } from '../snapshots/store.ts'
import { listDefaultTargets } from './try-store.ts'
import type { PolicyTry } from './try-wire.ts'

const MAX_TARGETS = 50
const MAX_ARTIFACTS = 100_000

export interface TryTarget {
  environment_id: string
  environment_name: string
  snapshot_index: number
  policies: AttachedPolicy[]
  allow_list: Map<string, AllowListed>
}

export async function listTargets(
  tx: Db,
  org: CallerOrg,
  body: PolicyTry,
  { policy_id, now }: { policy_id: string | null; now: Date },
): Promise<TryTarget[]> {
  const named = [
    ...(body.environments ?? []).map(toLatestSnapshot),
    ...(body.snapshots ?? []).map(text => parseNamedSnapshot(text, now)),
  ]
  const isNamed = body.environments !== undefined || body.snapshots !== undefined
  const found = isNamed
    ? await Promise.all(named.map(one => expandSnapshot(tx, org, one)))
    : [await readDefaults(tx, org, policy_id)]
  const places = found.flatMap(part => part.places)
  const distinct = [
    ...new Map(places.map(place => [`${place.environment_id} ${place.snapshot_index}`, place])).values(),
  ]
  if (distinct.length > MAX_TARGETS)
    throw badRequest(`A policy can be tried on at most ${MAX_TARGETS} snapshots at once; select fewer`)
  const artifacts = found.reduce((sum, { artifact_count }) => sum + artifact_count, 0)
  if (artifacts > MAX_ARTIFACTS)
    throw badRequest(
      `A policy can be tried on at most ${MAX_ARTIFACTS} artifacts at once, not ${artifacts}; select fewer snapshots`,
    )
  return Promise.all(
    distinct.map(async place => ({
      ...place,
      ...(await readEnvironmentRules(tx, org.org_id, place.environment_id, now)),
    })),
  )
}

function toLatestSnapshot(env_name: string): NamedSnapshot {
  return { env_name, selector: { index: null, behind: 0, time: null }, label: env_name }
}

interface Part {
  places: Pick<TryTarget, 'environment_id' | 'environment_name' | 'snapshot_index'>[]
  artifact_count: number
}

/** A snapshot of a logical environment stands for the snapshots of its members. */
async function expandSnapshot(tx: Db, org: CallerOrg, named: NamedSnapshot): Promise<Part> {
  const head = await requireHead(tx, org, named)
  const { environment_id, environment_name, asked_index: snapshot_index, members } = head
  const artifact_count = head.compliant_count + head.non_compliant_count + head.unknown_count
  if (members === null)
    return { places: [{ environment_id, environment_name, snapshot_index }], artifact_count }
  const places = await listMemberHeads(tx, org.org_id, { environment_id, snapshot_index, members })
  return { places: places.map(({ is_new, applied_policies, ...place }) => place), artifact_count }
}

async function readDefaults(tx: Db, org: CallerOrg, policy_id: string | null): Promise<Part> {
  // One more than allowed, to detect that there are too many.
  const rows = await listDefaultTargets(tx, org.org_id, { policy_id, limit: MAX_TARGETS + 1 })
  return {
    places: rows.map(({ artifact_count, ...place }) => place),
    artifact_count: rows.reduce((sum, row) => sum + row.artifact_count, 0),
  }
}
