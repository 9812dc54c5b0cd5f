// GET /environments/{org}/{env_name}/policy-changes: when policies were attached, detached and updated, from the
// policies in force in each snapshot.
import { comparePolicies } from '../../../domain/policy/changes.ts'
import { resolveTimeRange, type TimeRange } from '../../../domain/snapshot/buckets.ts'
import { defineOperation } from '../../operation.ts'
import { fromEpoch } from '../../shared/epoch-times.ts'
import { listPhysicalEnvironments, type PhysicalEnvironment } from '../../shared/members-store.ts'
import { requireOrder } from '../../shared/periods.ts'
import { toEpoch } from '../../shared/wire.ts'
import { requireEnvironment } from '../problems.ts'
import { findFirstSnapshotTime } from '../timeline/store.ts'
import { EnvironmentPath } from '../wire.ts'
import { type ChangedSnapshot, listChangedSnapshots, readPolicyNames } from './store.ts'
import { type PolicyChange, PolicyChanges, PolicyChangesQuery } from './wire.ts'

/** Snapshots of each environment, the newest first. */
const MAX_EXAMINED = 5000
/** More than a chart can show; the newest are kept. */
const MAX_CHANGES = 200

export const listPolicyChanges = defineOperation(
  {
    id: 'listPolicyChanges',
    method: 'GET',
    path: '/environments/{org}/{env_name}/policy-changes',
    tag: 'Environments',
    summary: 'List the changes of the policies of an environment',
    description:
      'When policies were attached to the environment, detached from it, or got a new version, in a period that is ' +
      'by default from the first snapshot to now. A change counts from the first snapshot that was evaluated with ' +
      'it. Policies that were attached before the first report count as attached then. Returns the newest ' +
      `${MAX_CHANGES} changes; \`known_since\` says where they begin.`,
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: EnvironmentPath,
    query: PolicyChangesQuery,
    returns: PolicyChanges,
    fails: [400, 403, 404],
    example: { query: { from: '1772496000', to: '1772582400' } },
  },
  ({ params, query, org: caller_org, now }, { db }) =>
    db.withTransaction({ org_id: caller_org.org_id }, async tx => {
      const { org_id } = caller_org
      const environment = await requireEnvironment(tx, caller_org, params.env_name, query.archived)
      const [first_snapshot_at, sources] = await Promise.all([
        findFirstSnapshotTime(tx, org_id, environment.environment_id),
        listPhysicalEnvironments(tx, org_id, environment),
      ])
      const given = { from: fromEpoch(query.from), to: fromEpoch(query.to) }
      const range = requireOrder(resolveTimeRange(given, first_snapshot_at, now), 'from')
      const ids = sources.map(({ environment_id }) => environment_id)
      const period = { from_at: range.from, to_at: range.to, max_examined: MAX_EXAMINED }
      const snapshots = await listChangedSnapshots(tx, org_id, ids, period)
      const named = await readPolicyNames(tx, org_id, collectPolicyIds(snapshots))
      const all = snapshots.flatMap(snapshot => toWireChanges(snapshot, sources, named))
      const changes = all.slice(-MAX_CHANGES)
      return {
        environment_name: environment.name,
        from: toEpoch(range.from),
        to: toEpoch(range.to),
        known_since: findStart(snapshots, changes.length < all.length ? changes[0] : undefined, range),
        changes,
      }
    }),
)

function collectPolicyIds(snapshots: readonly ChangedSnapshot[]): string[] {
  const policies = snapshots.flatMap(each => [...each.applied_policies, ...(each.earlier_policies ?? [])])
  return [...new Set(policies.map(({ policy_id }) => policy_id))]
}

function toWireChanges(
  { environment_id, snapshot_index, created_at, applied_policies, earlier_policies }: ChangedSnapshot,
  sources: readonly PhysicalEnvironment[],
  named: ReadonlyMap<string, string>,
): PolicyChange[] {
  // Without the previous snapshot, no change is known, except in the first one.
  if (earlier_policies === null && snapshot_index > 1) return []
  const environment_name = sources.find(source => source.environment_id === environment_id)?.name ?? ''
  return comparePolicies(earlier_policies ?? [], applied_policies).map(({ policy_id, ...change }) => ({
    timestamp: toEpoch(created_at),
    environment_name,
    snapshot_index,
    policy_name: named.get(policy_id) ?? policy_id,
    ...change,
  }))
}

/** `first_kept`: the oldest change in the response, if older ones were left out. */
function findStart(
  snapshots: readonly ChangedSnapshot[],
  first_kept: PolicyChange | undefined,
  { from }: TimeRange,
): number {
  const limits = snapshots.filter(({ is_limit }) => is_limit).map(({ created_at }) => toEpoch(created_at))
  return Math.max(toEpoch(from), first_kept?.timestamp ?? 0, ...limits)
}
