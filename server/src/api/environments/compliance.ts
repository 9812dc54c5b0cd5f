// GET /environments/{org}/{env_name}/compliance: what runs now, judged by what is known now, also where that made no
// snapshot; and of what is not compliant, why and what would make it so.

import { computeEnvironmentState, computeLogicalState } from '../../domain/snapshot/compliance.ts'
import { computeCurrentVerdict, isStale } from '../../domain/snapshot/staleness.ts'
import { defineOperation, Streamed } from '../operation.ts'
import { toEpochOrNull } from '../shared/wire.ts'
import * as store from './compliance-store.ts'
import { ComplianceQuery, EnvironmentCompliance, type NonCompliant, type Other } from './compliance-wire.ts'
import { LOGICAL } from './members.ts'
import { requireEnvironment } from './problems.ts'
import type { EnvironmentRow } from './store.ts'
import { EnvironmentPath } from './wire.ts'

export const getEnvironmentCompliance = defineOperation(
  {
    id: 'getEnvironmentCompliance',
    method: 'GET',
    path: '/environments/{org}/{env_name}/compliance',
    tag: 'Environments',
    summary: 'Get the compliance of what runs now',
    description:
      'What runs now, judged by what is known now: newer than the latest snapshot where the reasons changed and the ' +
      'verdicts did not. A logical environment shows its members together',
    access: 'reader',
    audit: 'none: reads',
    params: EnvironmentPath,
    query: ComplianceQuery,
    returns: EnvironmentCompliance,
    fails: [400, 403, 404],
  },
  ({ params, query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const environment = await requireEnvironment(tx, org, params.env_name, query.archived)
      const { environment_id, type } = environment
      const [places, failing, others] = await Promise.all([
        store.listPlaces(tx, org.org_id, environment_id),
        store.listNonCompliant(tx, org.org_id, environment_id),
        query.all ? store.listOthers(tx, org.org_id, environment_id) : undefined,
      ])
      const isLogical = type === LOGICAL
      return new Streamed<EnvironmentCompliance, NonCompliant>(
        {
          ...buildHead(environment, places, now),
          ...(others ? { others: others.map(row => toOther(row, isLogical)) } : {}),
        },
        'non_compliant',
        streamNonCompliant(failing, isLogical),
      )
    }),
)

function buildHead(
  { name, type, latest_index, stale_at }: EnvironmentRow,
  places: readonly store.Place[],
  now: Date,
): Omit<EnvironmentCompliance, 'non_compliant' | 'others'> {
  const states = places.map(computeState)
  const state = type === LOGICAL ? computeLogicalState(states) : (states[0] ?? null)
  const is_stale = isStale(stale_at, now)
  const sumCounts = (field: 'compliant_count' | 'non_compliant_count' | 'unknown_count') =>
    places.reduce((sum, place) => sum + place[field], 0)
  const policies = new Map(places.flatMap(place => place.policies.map(policy => [policy.name, policy])))
  return {
    environment_name: name,
    snapshot_index: latest_index,
    state: computeCurrentVerdict(state, stale_at, now),
    is_stale,
    stale_since: is_stale ? toEpochOrNull(stale_at) : null,
    is_pending: places.some(({ is_pending }) => is_pending),
    artifact_compliance_count: {
      true: sumCounts('compliant_count'),
      false: sumCounts('non_compliant_count'),
      null: sumCounts('unknown_count'),
    },
    policies: [...policies.values()],
  }
}

/** Before the first report nothing is known, not even that nothing runs. */
function computeState(place: store.Place): boolean | null {
  if (place.latest_index === 0) return null
  const verdicts = [
    ...(place.compliant_count > 0 ? [true] : []),
    ...(place.non_compliant_count > 0 ? [false] : []),
    ...(place.unknown_count > 0 ? [null] : []),
  ]
  return computeEnvironmentState(verdicts, place.policies.length > 0)
}

function* streamNonCompliant(
  rows: readonly store.NonCompliantRow[],
  isLogical: boolean,
): Iterable<NonCompliant> {
  for (const { environment_name, artifact_name, fingerprint, reasons } of rows) {
    yield {
      ...(isLogical ? { environment_name } : {}),
      artifact_name,
      fingerprint,
      reasons,
      remedies: [...new Set(reasons.map(({ remedy }) => remedy))],
    }
  }
}

function toOther({ environment_name, ...row }: store.OtherRow, isLogical: boolean): Other {
  return { ...(isLogical ? { environment_name } : {}), ...row }
}
