// GET /environments/{org}/{env_name}/compliance: the current verdict of each running artifact, even if it made no
// snapshot. For each non-compliant artifact: why it fails and what would fix it.

import {
  computeEnvironmentState,
  computeLogicalState,
  limitToView,
} from '../../../domain/snapshot/compliance.ts'
import { computeCurrentVerdict, isStale } from '../../../domain/snapshot/staleness.ts'
import { findUnknownCauseOf } from '../../../domain/snapshot/unknown.ts'
import { defineOperation, Streamed } from '../../operation.ts'
import { toEpochOrNull } from '../../shared/wire.ts'
import { LOGICAL } from '../members/change.ts'
import { requireEnvironment } from '../problems.ts'
import type { EnvironmentRow } from '../store.ts'
import { EnvironmentPath, toWirePartial } from '../wire.ts'
import * as store from './store.ts'
import { ComplianceQuery, EnvironmentCompliance, type NonCompliant, type Other } from './wire.ts'

export const getEnvironmentCompliance = defineOperation(
  {
    id: 'getEnvironmentCompliance',
    method: 'GET',
    path: '/environments/{org}/{env_name}/compliance',
    tag: 'Environments',
    summary: 'Get the current compliance of an environment',
    description:
      'Returns the verdicts of the running artifacts with all evidence received so far. The reasons can be newer ' +
      'than those of the latest snapshot, because changed reasons alone do not make a snapshot. A logical ' +
      'environment combines its members.',
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
      const [sources, failing, others] = await Promise.all([
        store.listSources(tx, org.org_id, environment_id),
        store.listNonCompliant(tx, org.org_id, environment_id),
        query.all ? store.listOthers(tx, org.org_id, environment_id) : undefined,
      ])
      const isLogical = type === LOGICAL
      return new Streamed<EnvironmentCompliance, NonCompliant>(
        {
          ...buildHead(environment, sources, now),
          ...(others ? { others: others.map(row => toOther(row, isLogical)) } : {}),
        },
        'non_compliant',
        streamNonCompliant(failing, isLogical),
      )
    }),
)

function buildHead(
  environment: EnvironmentRow,
  sources: readonly store.Source[],
  now: Date,
): Omit<EnvironmentCompliance, 'non_compliant' | 'others'> {
  const { name, type, latest_index, stale_at } = environment
  const states = sources.map(computeState)
  const state = type === LOGICAL ? computeLogicalState(states) : (states[0] ?? null)
  const is_stale = isStale(stale_at, now)
  const sumCounts = (field: 'compliant_count' | 'non_compliant_count' | 'unknown_count') =>
    sources.reduce((sum, source) => sum + source[field], 0)
  const policies = new Map(sources.flatMap(source => source.policies.map(policy => [policy.name, policy])))
  return {
    environment_name: name,
    snapshot_index: latest_index,
    state: computeCurrentVerdict(state, stale_at, now),
    unknown_because: findUnknownCauseOf({ ...environment, state }, now),
    is_stale,
    stale_since: is_stale ? toEpochOrNull(stale_at) : null,
    ...toWirePartial(environment),
    is_pending: sources.some(({ is_pending }) => is_pending),
    artifact_compliance_count: {
      true: sumCounts('compliant_count'),
      false: sumCounts('non_compliant_count'),
      null: sumCounts('unknown_count'),
    },
    policies: [...policies.values()],
  }
}

/** Before the first report, the state is unknown: an unreported environment is not an empty one. */
function computeState(source: store.Source): boolean | null {
  if (source.latest_index === 0) return null
  const verdicts = [
    ...(source.compliant_count > 0 ? [true] : []),
    ...(source.non_compliant_count > 0 ? [false] : []),
    ...(source.unknown_count > 0 ? [null] : []),
  ]
  return limitToView(computeEnvironmentState(verdicts, source.policies.length > 0), source.is_partial)
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
