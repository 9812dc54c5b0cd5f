// Erases the content of events, in the transaction that records the erasure: the leaves stay, and each erasure is its
// own leaf, which also takes over what the erased leaf covered.
import type { Db } from '../db/database.ts'
import { type ErasedLeaf, type ErasureReason, isErasable, UNERASABLE_KINDS } from '../domain/log/erasure.ts'
import { EventAuthor, type RequestContext } from '../events/request-context.ts'
import { type EventWithRows, insertEvents } from '../events/rows-of-event.ts'
import { STORED_ROWS, type StoredRowName } from '../events/stored-rows-store.ts'
import { assert } from '../lib/assert.ts'
import { conflict, notFound } from '../lib/errors.ts'
import { type Ids, parseWireId, toWireId } from '../lib/ids.ts'
import { eraseNames } from './erase-names-store.ts'
import {
  type BodyRow,
  type Erasure,
  emptyParts,
  eraseEvents,
  findBody,
  findErasureBy,
  type LogPlace,
  listBodiesOfPerson,
  type NamedParts,
  skipLeaves,
} from './erase-store.ts'

/** How many leaves one request examines: each needs a look at its event. */
const MAX_EXAMINED = 1_000

export interface ErasureRequest {
  context: Omit<RequestContext, 'receipt'> & Pick<RequestContext, 'receipt'>
  ids: Ids
  reason: ErasureReason
}

/** Returns the erasure; if the body is erased already, the earlier one. */
export async function eraseBody(tx: Db, place: LogPlace, request: ErasureRequest): Promise<RecordedErasure> {
  const { org } = request.context
  const body = await findBody(tx, org.org_id, place)
  if (!body) throw notFound(`The log has no leaf ${place.index}`)
  const earlier = await findErasure(tx, org.org_id, body)
  if (earlier) return { ...earlier, erased: 0 }
  if (body.kind === null)
    throw conflict(
      `The body of leaf ${place.index} is not in the database: an operator must attach its month before it can be erased`,
    )
  if (!isErasable(body.kind))
    throw conflict(
      `The body of leaf ${place.index} (${body.kind}) cannot be erased: verifiers need it, and it is about the log alone`,
    )
  await eraseBodies(tx, [body], request)
  const { caller, now } = request.context
  return { actor: caller.name, happened_at: now, reason: request.reason, erased: 1 }
}

export type RecordedErasure = Pick<Erasure, 'actor' | 'happened_at' | 'reason'> & { erased: number }

export interface Person {
  user: string
  email: string | null
}

/** Erases the bodies by and about a person among the next leaves. Returns where to continue, if there are more. */
export async function erasePerson(
  tx: Db,
  person: Person,
  from: LogPlace,
  request: ErasureRequest,
): Promise<{ erased: number; next: LogPlace | undefined }> {
  const { org_id } = request.context.org
  const next = await skipLeaves(tx, org_id, from, MAX_EXAMINED)
  const bodies = await listBodiesOfPerson(tx, org_id, {
    ...person,
    ...from,
    limit: MAX_EXAMINED,
    kept_kinds: [...UNERASABLE_KINDS],
  })
  await eraseBodies(tx, bodies, request, person.user)
  return { erased: bodies.length, next }
}

/** Who erased the body, when and why; undefined if nobody did. */
export async function findErasure(
  tx: Db,
  org_id: string,
  { erased_by }: Pick<BodyRow, 'erased_by'>,
): Promise<Erasure | undefined> {
  const event_id = erased_by === null ? undefined : parseWireId(erased_by)
  return event_id === undefined ? undefined : findErasureBy(tx, org_id, event_id)
}

/** Erases the names of everyone who caused the events, or only the person's. */
async function eraseBodies(
  tx: Db,
  bodies: readonly BodyRow[],
  { context, ids, reason }: ErasureRequest,
  person?: string,
): Promise<void> {
  if (bodies.length === 0) return
  const { org_id } = context.org
  const parts = listNamedParts(bodies)
  await emptyParts(tx, org_id, parts)
  await eraseNames(tx, org_id, {
    listRows: name => [...new Set(bodies.flatMap(body => listRows(body, name)))],
    names: person === undefined ? parts.actors : [person],
    memberships: bodies.flatMap(body => {
      const happened_at = body.happened_at?.toISOString()
      return happened_at === undefined
        ? []
        : listRows(body, 'member').map(user_id => ({ user_id, happened_at }))
    }),
  })
  const author = new EventAuthor(context)
  const events = bodies.map(body => ({ event_id: ids.next(), ...author, ...buildErasure(body, reason) }))
  await insertEvents(tx, org_id, events)
  const erasures = bodies.map(({ event_id }, i) => ({
    event_id,
    erased_by: toWireId(events[i]?.event_id ?? ''),
  }))
  if ((await eraseEvents(tx, org_id, erasures)) < bodies.length)
    throw conflict('Another request is erasing the same; try again')
}

const ATTESTED = [
  'trail_attestation_reported',
  'trail_attestation_for_artifact_reported',
  'artifact_attestation_reported',
]

function listNamedParts(bodies: readonly BodyRow[]): NamedParts {
  const pick = (kinds: readonly string[], read: (body: BodyRow) => string | null) =>
    bodies.flatMap(body => (kinds.includes(body.kind ?? '') ? (parseWireId(read(body) ?? '') ?? []) : []))
  return {
    attestation_ids: pick(ATTESTED, ({ attestation_id }) => attestation_id),
    report_ids: pick(['artifact_creation_reported'], ({ report_id }) => report_id),
    trail_ids: bodies.flatMap(body => listRows(body, 'trail')),
    actors: [...new Set(bodies.flatMap(({ actor }) => actor ?? []))],
  }
}

const listRows = ({ rows }: BodyRow, name: StoredRowName): string[] =>
  rows.flatMap(row => readRow(row, name) ?? [])

function readRow(row: string, name: StoredRowName): string | undefined {
  return row.startsWith(`${name} `) ? row.slice(name.length + 1) : undefined
}

/** The event of the erasure. Its leaf covers the remains: rows, the rest of a report, and the state of a snapshot. */
function buildErasure(
  body: BodyRow,
  reason: ErasureReason,
): Omit<EventWithRows, 'event_id' | 'actor' | 'now' | 'request_id'> {
  const { flow_id, trail_id, environment_id, policy_id, snapshot_index, state } = body
  return {
    kind: 'body_erased',
    flow_id,
    trail_id,
    environment_id,
    policy_id,
    row_ids: listRowIds(body),
    contents: state === null ? undefined : { state },
    data: {
      ...describeErased(body),
      reason,
      ...(state === null ? {} : { snapshot_index: Number(snapshot_index) }),
    },
  }
}

function describeErased({ epoch, seq, event_id, kind, happened_at }: BodyRow): ErasedLeaf {
  assert(kind !== null && happened_at !== null, 'only events that are here are erased')
  return { epoch, index: seq, event: toWireId(event_id), kind, happened_at: happened_at.toISOString() }
}

function listRowIds(body: BodyRow): NonNullable<EventWithRows['row_ids']> {
  const { attestation_ids, report_ids } = listNamedParts([body])
  const named = (Object.keys(STORED_ROWS) as StoredRowName[]).flatMap(name => {
    const found = listRows(body, name)
    return found.length > 0 ? [[name, found]] : []
  })
  return {
    ...Object.fromEntries(named),
    ...(attestation_ids.length > 0 ? { erased_attestation: attestation_ids } : {}),
    ...(report_ids.length > 0 ? { erased_report: report_ids } : {}),
  }
}
