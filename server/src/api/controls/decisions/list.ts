// GET /controls/{org}/{identifier}/decisions: the decisions on a control.
import { invalid } from '../../../lib/errors.ts'
import { parseWireId, toWireId } from '../../../lib/ids.ts'
import { defineOperation } from '../../operation.ts'
import { readEpochBounds } from '../../shared/epoch-times.ts'
import { parseCursor, toIdAfter, toIdBefore } from '../../shared/id-bounds.ts'
import { buildLinkedEnvelope, toSlice } from '../../shared/page.ts'
import { ControlPath } from '../wire.ts'
import { requireControl } from './problems.ts'
import { type DecisionFilter, listCountedDecisions, listDecisions } from './store.ts'
import { DecisionList, DecisionsQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 15

export const listControlDecisions = defineOperation(
  {
    id: 'listControlDecisions',
    method: 'GET',
    path: '/controls/{org}/{identifier}/decisions',
    tag: 'Controls',
    summary: 'List the decisions on a control',
    description:
      'A decision is an attestation of the type `decision` that names the control. Newest first by default. While ' +
      '`next` is not null there are more: send it as `cursor`. With `page`, all pages are counted and linked. A ' +
      'decision that has expired stays in the list.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    reads: 'replica',
    params: ControlPath,
    query: DecisionsQuery,
    returns: DecisionList,
    fails: [400, 403, 404],
    example: {
      params: { identifier: 'control-to-read' },
      query: { is_compliant: 'false', flow_name: 'backend', sort_direction: 'desc', per_page: '15' },
    },
  },
  async ({ params, query, org, now, url }, { db, base_url }) => {
    const { identifier } = params
    const { page, per_page = DEFAULT_PER_PAGE, sort_direction: direction = 'desc' } = query
    const filter = { ...buildFilter(query, direction), identifier }
    // One more shows whether there is a next page.
    const order = { ...toSlice({ page: page ?? 1, per_page }), limit: per_page + 1, direction }
    const { rows, total } =
      page === undefined
        ? { rows: await listDecisions(db, org.org_id, filter, order), total: 0 }
        : await db.withTransaction({ org_id: org.org_id }, tx =>
            listCountedDecisions(tx, org.org_id, filter, order),
          )
    if (rows.length === 0) await requireControl(db, org, identifier)
    const shown = rows.slice(0, per_page)
    const last = rows.length > per_page ? shown.at(-1) : undefined
    return {
      decisions: shown.map(row => toWire(row, { base_url, org: org.name, now })),
      per_page,
      next: last ? toWireId(last.attestation_id) : null,
      ...(page === undefined ? {} : buildLinkedEnvelope(url, query, { page, per_page }, total)),
    }
  },
)

/** Ids are ordered by time, so time bounds also bound the ids, which ends the index scan early. */
function buildFilter(query: DecisionsQuery, direction: 'asc' | 'desc'): Omit<DecisionFilter, 'identifier'> {
  const { from_at, to_at } = readEpochBounds(query, 'from_timestamp', 'to_timestamp')
  if (query.page !== undefined && query.cursor !== undefined) {
    throw invalid({ 'query.page': 'Give page or cursor, not both' })
  }
  const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor)
  return {
    is_compliant: query.is_compliant ?? null,
    from_at,
    to_at,
    from_id: direction === 'asc' && cursor !== undefined ? cursor : toIdBefore(from_at),
    to_id: direction === 'desc' && cursor !== undefined ? cursor : toIdAfter(to_at),
    flow_names: query.flow_name?.length ? query.flow_name : null,
    flow_ids: query.flow_id?.length ? query.flow_id.map(toStoredId) : null,
  }
}

/** Validation of the query ensures that this is an id. */
function toStoredId(wire_id: string): string {
  return parseWireId(wire_id) ?? wire_id
}
