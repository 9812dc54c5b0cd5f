// GET /audit-events/{org}: the audit events of the organization, newest first.

import type { Db } from '../../db/database.ts'
import { badRequest, invalid } from '../../lib/errors.ts'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import { formatInput } from '../../lib/sentences.ts'
import { type CallerOrg, defineOperation } from '../operation.ts'
import { readEpochBounds } from '../shared/epoch-times.ts'
import { OrgPath } from '../shared/fields.ts'
import * as store from './store.ts'
import { AuditEvents, AuditEventsQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 50
/** How many events one call filters at most. */
const MAX_EXAMINED = 10_000
/** An id contains its creation time, which is slightly later than `happened_at`; a day is far more than the gap. */
const MARGIN_MS = 86_400_000
const AFTER_EVERY_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const LAST_ID_MS = 0xffff_ffff_ffff

export const listAuditEvents = defineOperation(
  {
    id: 'listAuditEvents',
    method: 'GET',
    path: '/audit-events/{org}',
    tag: 'Audit',
    summary: 'List audit events',
    description:
      'Newest first. While `next` is not null there may be more: send it as `cursor`. A page can be short or empty before ' +
      `the end, because one request examines at most ${MAX_EXAMINED.toLocaleString('en')} events. Events of the kind ` +
      '`environment_confirmed`, one an hour for each environment, are listed only with that `kind`.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: AuditEventsQuery,
    returns: AuditEvents,
    fails: [400, 403],
    example: { query: { kind: 'member_added', per_page: '10' } },
  },
  ({ query, org }, { db }) => {
    const { flow_name, environment_name, control, per_page = DEFAULT_PER_PAGE } = query
    if ([flow_name, environment_name, control].filter(name => name !== undefined).length > 1) {
      throw badRequest('Filter by only one of flow_name, environment_name and control')
    }
    const scan = buildScan(query, per_page)
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const about = await findSubject(tx, org, query)
      if (!about) return { events: [], next: null }
      const { subject, subject_id } = about
      const found = await store.scanEvents(tx, org.org_id, subject, { ...scan, subject_id })
      const event_ids = found.event_ids.slice(0, per_page)
      const rows = await store.listEvents(tx, org.org_id, event_ids)
      return { events: rows.map(toWire), next: getNextCursor(found, event_ids, scan.max_examined) }
    })
  },
)

function buildScan(query: AuditEventsQuery, per_page: number): Omit<store.Scan, 'subject_id'> {
  const { kind, actor, from_timestamp, to_timestamp } = query
  const { from_at, to_at } = readEpochBounds(query, 'from_timestamp', 'to_timestamp')
  const is_filtered = [kind, actor, from_timestamp, to_timestamp].some(given => given !== undefined)
  return {
    before_id: query.cursor === undefined ? toIdAfter(to_at) : parseCursor(query.cursor),
    not_before_id: toIdBefore(from_at),
    kinds: kind?.length ? kind : null,
    actor: actor ?? null,
    from_at,
    to_at,
    max_examined: is_filtered ? MAX_EXAMINED : per_page + 1,
    limit: per_page + 1,
  }
}

function parseCursor(cursor: string): string {
  const id = parseWireId(cursor)
  if (id === undefined) {
    throw invalid({
      'query.cursor': `Input should be the \`next\` of a page [input: ${formatInput(cursor)}]`,
    })
  }
  return id
}

/** Undefined when the name is unknown; then there are no events. */
async function findSubject(
  tx: Db,
  org: CallerOrg,
  { flow_name, environment_name, control }: AuditEventsQuery,
): Promise<{ subject: store.Subject; subject_id: string | null } | undefined> {
  if ([flow_name, environment_name, control].every(name => name === undefined)) {
    return { subject: 'org', subject_id: null }
  }
  const { flow_id, environment_id, control_id } = await store.findSubjects(tx, org.org_id, {
    flow_name: flow_name ?? null,
    environment_name: environment_name ?? null,
    control: control ?? null,
  })
  if (flow_id !== null) return { subject: 'flow', subject_id: flow_id }
  if (control_id !== null) return { subject: 'control', subject_id: control_id }
  return environment_id === null ? undefined : { subject: 'environment', subject_id: environment_id }
}

function getNextCursor(
  found: store.Found,
  shown_ids: readonly string[],
  max_examined: number,
): string | null {
  const last = shown_ids.at(-1)
  if (last !== undefined && found.event_ids.length > shown_ids.length) return toWireId(last)
  const has_more = found.examined === max_examined && found.last_id !== null
  return has_more && found.last_id !== null ? toWireId(found.last_id) : null
}

function toIdBefore(instant: Date | null): string {
  return toIdAt(instant === null ? 0 : Math.max(0, instant.getTime() - MARGIN_MS))
}

function toIdAfter(instant: Date | null): string {
  return instant === null ? AFTER_EVERY_ID : toIdAt(Math.min(LAST_ID_MS, instant.getTime() + MARGIN_MS))
}

/** The lowest id that could be created at a given time. */
function toIdAt(unix_ms: number): string {
  const time = Math.floor(unix_ms).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
