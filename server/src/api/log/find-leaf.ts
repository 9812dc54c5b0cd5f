// The log leaf that a request is about: named by its number, by its event, or by what the event reported.
import { type Static, Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import { badRequest, forbidden, notFound } from '../../lib/errors.ts'
import { makeLaterId, parseWireId } from '../../lib/ids.ts'
import * as store from '../../log/leaf-store.ts'
import type { CallerOrg } from '../operation.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { about, Naming } from '../shared/wire.ts'
import { Index } from './wire.ts'

/** An event's id is created in the request that reports it: this is far more than a request takes. */
const EVENT_WITHIN_MS = 60 * 60 * 1000
const MAX_SNAPSHOT = 2 ** 31 - 1

export const LEAF_NAMES = {
  index: Type.Optional(Index),
  event: Type.Optional(Type.String(about('Id of the event', EXAMPLE_ID))),
  attestation: Type.Optional(Type.String(about('Id of the attestation', EXAMPLE_ID))),
  report: Type.Optional(
    Type.String(about('Id of the report of an artifact: each report is a leaf', EXAMPLE_ID)),
  ),
  flow: Type.Optional(Naming('flow', Type.String(about('Name of the flow of `trail`', 'backend-ci')))),
  trail: Type.Optional(
    Type.String(about('Name of the trail: the leaf of the last report that changed it', 'release-1.4.2')),
  ),
  environment: Type.Optional(
    Naming('environment', Type.String(about('Name of the environment of `snapshot`', 'production'))),
  ),
  snapshot: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_SNAPSHOT, ...about('Number of the snapshot', 42) }),
  ),
}

export type LeafName = Static<ReturnType<typeof Type.Object<typeof LEAF_NAMES>>>

const WAYS: readonly (readonly (keyof LeafName)[])[] = [
  ['index'],
  ['event'],
  ['attestation'],
  ['report'],
  ['flow', 'trail'],
  ['environment', 'snapshot'],
]

/** Names that somebody who sees only the leaves knows too. */
const FOR_VISITORS = ['index', 'event']

/** Names of records are not in the log: a visitor must not learn which leaf belongs to which record. */
export function checkLeafName(name: LeafName, org: CallerOrg): void {
  const given = Object.entries(name).flatMap(([key, value]) => (value === undefined ? [] : [key]))
  if (!WAYS.some(way => way.length === given.length && way.every(key => given.includes(key))))
    throw badRequest(
      'Name one leaf: by index, event, attestation, report, flow and trail, or environment and snapshot',
    )
  if (org.is_visitor && !given.every(key => FOR_VISITORS.includes(key)))
    throw forbidden('Without a key, name the leaf by index or event')
}

/** Requires that the name has been checked. */
export async function requireLeaf(db: Database, org: CallerOrg, name: LeafName): Promise<store.FoundLeaf> {
  const found = await findLeaf(db, org.org_id, name)
  if (found) return found
  const [[what, value] = []] = Object.entries(name)
    .filter(([, given]) => given !== undefined)
    .toReversed()
  throw notFound(`The log of organization '${org.name}' has no leaf of ${what} '${value}'`)
}

async function findLeaf(db: Database, org_id: string, name: LeafName): Promise<store.FoundLeaf | undefined> {
  const { index, event, attestation, report, flow, trail, environment, snapshot } = name
  if (index !== undefined) return store.findLeafAtIndex(db, org_id, index)
  if (event !== undefined) {
    const id = parseWireId(event)
    return id === undefined ? undefined : store.findLeafOfEvent(db, org_id, id)
  }
  if (attestation !== undefined) {
    const reported = readReportedId(attestation)
    return reported && store.findLeafOfAttestation(db, org_id, reported)
  }
  if (report !== undefined) {
    const reported = readReportedId(report)
    return reported && store.findLeafOfReport(db, org_id, reported)
  }
  if (flow !== undefined && trail !== undefined)
    return store.findLeafOfTrail(db, org_id, { flow_name: flow, trail_name: trail })
  if (environment !== undefined && snapshot !== undefined)
    return store.findLeafOfSnapshot(db, org_id, { env_name: environment, snapshot_index: snapshot })
  return undefined
}

function readReportedId(wire_id: string): store.ReportedId | undefined {
  const id = parseWireId(wire_id)
  return id === undefined ? undefined : { id, wire_id, end_id: makeLaterId(id, EVENT_WITHIN_MS) }
}
