// GET /snapshots/{org}/{env_name}: the snapshots of an environment, newest first.

import { isOverdue } from '../../domain/control/state.ts'
import { parseInterval } from '../../domain/snapshot/interval.ts'
import { computeCurrentVerdict, isStale } from '../../domain/snapshot/staleness.ts'
import { findUnknownCause } from '../../domain/snapshot/unknown.ts'
import { badRequest } from '../../lib/errors.ts'
import { requireEnvironment } from '../environments/problems.ts'
import type { EnvironmentRow } from '../environments/store.ts'
import { EnvironmentPath } from '../environments/wire.ts'
import { Answer, defineOperation } from '../operation.ts'
import { buildPageHeaders, PAGE_HEADERS, toSlice } from '../shared/page.ts'
import { toEpoch, toEpochOrNull } from '../shared/wire.ts'
import { toWireExpired } from './head.ts'
import { computePageRange, countSnapshots, resolveIndexRange } from './range.ts'
import * as store from './store.ts'
import { SnapshotList, type SnapshotListItem, SnapshotListQuery } from './wire.ts'

const DEFAULT_PER_PAGE = 15

export const listSnapshots = defineOperation(
  {
    id: 'listSnapshots',
    method: 'GET',
    path: '/snapshots/{org}/{env_name}',
    tag: 'Snapshots',
    summary: 'List snapshots',
    description: `Newest first, by default ${DEFAULT_PER_PAGE} per page. The headers contain the total and links to the other pages.`,
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: EnvironmentPath,
    query: SnapshotListQuery,
    returns: SnapshotList,
    fails: [400, 403, 404],
    answer_headers: PAGE_HEADERS,
    example: { query: { page: '1', per_page: '15', interval: '~5..NOW', reverse: 'false' } },
  },
  ({ params, query, org, now, url }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const interval = parseInterval(query.interval ?? '', now)
      if (!interval) throw badRequest(`Invalid interval value: ${query.interval}`)
      const environment = await requireEnvironment(tx, org, params.env_name, query.archived)
      const range = await resolveIndexRange(tx, org.org_id, environment, interval)
      const ascending = query.reverse ?? false
      const page = { page: query.page ?? 1, per_page: query.per_page ?? DEFAULT_PER_PAGE }
      const { environment_id, latest_index } = environment
      const rows = await store.listSnapshots(tx, org.org_id, {
        environment_id,
        ...computePageRange(range, latest_index, { ...toSlice(page), ascending }),
      })
      const items = rows.map(row => toItem(row, environment, now))
      const headers = buildPageHeaders(url, query, page, countSnapshots(range, latest_index))
      return new Answer(200, ascending ? items : items.reverse(), headers)
    }),
)

function toItem(
  row: store.SnapshotListRow,
  { latest_index, stale_at, waiting_since }: EnvironmentRow,
  now: Date,
): SnapshotListItem {
  const { next_created_at } = row
  // Only the latest snapshot can be stale or overdue; the verdicts of earlier ones are final.
  const is_latest = row.snapshot_index === latest_index
  const silent_at = is_latest ? stale_at : null
  const state = computeCurrentVerdict(row.compliant, silent_at, now)
  const is_stale = isStale(silent_at, now)
  const is_partial = row.is_partial ?? false
  return {
    index: row.snapshot_index,
    from: toEpoch(row.created_at),
    to: next_created_at ? toEpoch(next_created_at) : 0,
    compliant: state === true,
    state,
    unknown_because: findUnknownCause({
      verdict: row.compliant,
      has_reported: true,
      is_stale,
      has_policies: row.policy_count > 0,
      is_partial,
      is_overdue: is_latest && isOverdue(waiting_since, now),
      member_count: row.member_count,
    }),
    is_stale,
    is_partial,
    observed_at: toEpochOrNull(row.observed_at),
    duration: Math.max(0, toEpoch(next_created_at ?? now) - toEpoch(row.created_at)),
    cause: row.cause,
    expired_decisions: toWireExpired(row.expired_decisions),
    artifact_compliance_count: {
      true: row.compliant_count,
      false: row.non_compliant_count,
      null: row.unknown_count,
    },
  }
}
