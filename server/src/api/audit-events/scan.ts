// Finds the events that match the filters, newest first, in scans of a bounded number of events. Lists and files share it.
import type { Db } from '../../db/database.ts'
import { isDecision } from '../../events/sentences.ts'
import { badRequest } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import type { CallerOrg } from '../operation.ts'
import { readEpochBounds } from '../shared/epoch-times.ts'
import * as store from './store.ts'
import type { AuditEventsFilter } from './wire.ts'

/** How many events one scan examines at most. */
export const MAX_EXAMINED = 10_000
/** An id contains its creation time, which is slightly later than `happened_at`; a day is far more than the gap. */
const MARGIN_MS = 86_400_000
const AFTER_EVERY_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const LAST_ID_MS = 0xffff_ffff_ffff

export interface Subject {
  subject: store.Subject
  subject_id: string | null
}

/** `before_id` continues an earlier scan. */
export function buildScan(
  query: AuditEventsFilter,
  per_page: number,
  before_id: string | undefined,
): Omit<store.Scan, 'subject_id'> {
  const { kind, actor, from_timestamp, to_timestamp } = query
  const { from_at, to_at } = readEpochBounds(query, 'from_timestamp', 'to_timestamp')
  const is_filtered = [kind, actor, from_timestamp, to_timestamp].some(given => given !== undefined)
  return {
    before_id: before_id ?? toIdAfter(to_at),
    not_before_id: toIdBefore(from_at),
    kinds: kind?.length ? kind : null,
    actor: actor ?? null,
    from_at,
    to_at,
    max_examined: is_filtered ? MAX_EXAMINED : per_page + 1,
    limit: per_page + 1,
  }
}

export interface FoundPage {
  rows: store.EventRow[]
  /** Where the next scan continues; null at the end. */
  next_id: string | null
}

export async function readPage(
  tx: Db,
  org_id: string,
  { subject, subject_id }: Subject,
  scan: Omit<store.Scan, 'subject_id'>,
): Promise<FoundPage> {
  const found = await store.scanEvents(tx, org_id, subject, { ...scan, subject_id })
  const event_ids = found.event_ids.slice(0, scan.limit - 1)
  const rows = await store.listEvents(tx, org_id, event_ids)
  return { rows: await nameControls(tx, org_id, rows), next_id: getNextId(found, event_ids, scan) }
}

/** Decisions name their control only in the attestation. */
export async function nameControls(
  tx: Db,
  org_id: string,
  rows: store.EventRow[],
): Promise<store.EventRow[]> {
  const ids = new Map<store.EventRow, string>()
  for (const row of rows) {
    const { attestation_type, attestation_id } = row.data
    const id = isDecision(attestation_type) ? parseWireId(String(attestation_id)) : undefined
    if (id !== undefined) ids.set(row, id)
  }
  const decided = await store.listControlsDecided(tx, org_id, [...ids.values()])
  const controls = new Map(decided.map(({ attestation_id, control }) => [attestation_id, control]))
  return rows.map(row => ({ ...row, control: row.control ?? controls.get(ids.get(row) ?? '') ?? null }))
}

/** Undefined when the name is unknown; then there are no events. */
export async function findSubject(
  tx: Db,
  org: CallerOrg,
  { flow_name, environment_name, control }: AuditEventsFilter,
): Promise<Subject | undefined> {
  const names = [flow_name, environment_name, control].filter(name => name !== undefined)
  if (names.length === 0) return { subject: 'org', subject_id: null }
  const { flow_id, environment_id, control_id } = await store.findSubjects(tx, org.org_id, {
    flow_name: flow_name ?? null,
    environment_name: environment_name ?? null,
    control: control ?? null,
  })
  if (flow_id !== null) return { subject: 'flow', subject_id: flow_id }
  if (control_id !== null) return { subject: 'control', subject_id: control_id }
  return environment_id === null ? undefined : { subject: 'environment', subject_id: environment_id }
}

export function refuseSeveralSubjects({ flow_name, environment_name, control }: AuditEventsFilter): void {
  if ([flow_name, environment_name, control].filter(name => name !== undefined).length > 1) {
    throw badRequest('Filter by only one of flow_name, environment_name and control')
  }
}

function getNextId(
  found: store.Found,
  shown_ids: readonly string[],
  { max_examined }: Pick<store.Scan, 'max_examined'>,
): string | null {
  const last = shown_ids.at(-1)
  if (last !== undefined && found.event_ids.length > shown_ids.length) return last
  return found.examined === max_examined ? found.last_id : null
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
