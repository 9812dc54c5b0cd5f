// Queues the messages about an environment change in the transaction of that change: they are sent if and only if it
// commits. A webhook gets one message per artifact; people get one message per kind of event.
import type { Db } from '../db/database.ts'
import { enqueueDeliveries, type NewDelivery } from '../delivery/outbox.ts'
import {
  type EnvironmentEvent,
  type EnvironmentNotice,
  MAX_ARTIFACTS,
  type NoticeArtifact,
} from '../domain/notification/notice.ts'
import { computeEvents, toTrigger } from '../domain/notification/triggers.ts'
import type { RequestContext } from '../events/record.ts'
import type { Ids } from '../lib/ids.ts'
import * as store from './announce-store.ts'

const MS_PER_SECOND = 1000
const ABOUT_ARTIFACTS: readonly EnvironmentEvent[] = [
  'STARTED_ARTIFACT',
  'EXITED_ARTIFACT',
  'SCALED_ARTIFACT',
]

export interface AnnouncedSnapshot {
  environment_id: string
  snapshot_index: number
  created_at: Date
  /** The verdicts of the previous snapshot and of this one. */
  before: boolean | null
  after: boolean | null
}

/**
 * Call it after the snapshots were taken, in the same transaction. `changes_of` is the snapshot whose artifacts
 * changed: the only one, or a member's if the environments are logical. Costs one statement if there are no
 * subscribers.
 */
export async function announceSnapshots(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  taken: readonly AnnouncedSnapshot[],
  changes_of: { environment_id: string; snapshot_index: number } | null,
): Promise<void> {
  const { org_id } = context.org
  const environment_ids = taken.map(({ environment_id }) => environment_id)
  const subscribers = await store.listSubscribers(tx, org_id, environment_ids, { with_logical: false })
  if (subscribers.length === 0) return
  const areArtifactsRequested = ABOUT_ARTIFACTS.some(event => subscribers.some(isSubscribedTo(event)))
  const changes =
    changes_of && areArtifactsRequested
      ? (await store.listChanges(tx, org_id, changes_of)).map(toNoticeArtifact)
      : []
  const announced = taken.flatMap(snapshot => {
    const own = subscribers.filter(({ environment_id }) => environment_id === snapshot.environment_id)
    return computeEvents({ ...snapshot, changes }).map(event => ({
      snapshot,
      event: { ...event, total: event.artifacts.length },
      subscribers: own.filter(isSubscribedTo(event.event_type)),
    }))
  })
  const requested = announced.filter(one => one.subscribers.length > 0)
  const red = requested.filter(({ event }) => event.event_type === 'NON_COMPLIANT_ENV')
  const causes = await readNonCompliant(
    tx,
    org_id,
    red.map(({ snapshot }) => snapshot.environment_id),
  )
  const deliveries = requested.flatMap(one => {
    const { environment_id, snapshot_index, created_at, after } = one.snapshot
    const isRed = one.event.event_type === 'NON_COMPLIANT_ENV'
    const event = isRed ? { ...one.event, ...causes.get(environment_id) } : one.event
    const snapshot = { index: snapshot_index, compliant: after }
    const happened_at = created_at.getTime() / MS_PER_SECOND
    const occurrence = { happened_at, actor: context.caller.name, snapshot }
    return one.subscribers.flatMap(subscriber => buildDeliveries(subscriber, event, occurrence, ids))
  })
  await enqueueDeliveries(tx, org_id, deliveries, context.now)
}

function isSubscribedTo(event: EnvironmentEvent) {
  return ({ triggers }: store.Subscriber) => triggers.includes(toTrigger(event))
}

export interface AllowedArtifact {
  environment_id: string
  fingerprint: string
  artifact_name: string
}

/** Call it after an entry was added to the allow-list, in the same transaction. */
export async function announceAllowed(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  { environment_id, fingerprint, artifact_name }: AllowedArtifact,
): Promise<void> {
  const { org_id } = context.org
  const all = await store.listSubscribers(tx, org_id, [environment_id], { with_logical: true })
  const subscribers = all.filter(isSubscribedTo('ALLOWED_ARTIFACT'))
  if (subscribers.length === 0) return
  const known = await store.findProvenance(tx, org_id, fingerprint)
  const artifact = toNoticeArtifact({
    name: artifact_name,
    fingerprint,
    change: 'allow-listed',
    compliant: true,
    was: null,
    now: null,
    flow: known?.flow ?? null,
    build_url: known?.build_url ?? null,
    reasons: null,
  })
  const happened_at = context.now.getTime() / MS_PER_SECOND
  const deliveries = subscribers.flatMap(subscriber => {
    const occurrence = { happened_at, actor: context.caller.name, snapshot: buildSnapshot(subscriber) }
    const event = { event_type: 'ALLOWED_ARTIFACT', artifacts: [artifact], total: 1 } as const
    return buildDeliveries(subscriber, event, occurrence, ids)
  })
  await enqueueDeliveries(tx, org_id, deliveries, context.now)
}

export interface StalenessChange {
  environment_id: string
  event_type: 'STALE_ENV' | 'REPORTING_ENV'
  silence: NonNullable<EnvironmentNotice['silence']> | null
}

/** Call it after an environment was recorded as stale or as reporting again, in the same transaction. */
export async function announceStaleness(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  { environment_id, event_type, silence }: StalenessChange,
): Promise<void> {
  const { org_id } = context.org
  const all = await store.listSubscribers(tx, org_id, [environment_id], { with_logical: true })
  const subscribers = all.filter(isSubscribedTo(event_type))
  const happened_at = context.now.getTime() / MS_PER_SECOND
  const event = { event_type, artifacts: [], total: 0 }
  const deliveries = subscribers.flatMap(subscriber => {
    const snapshot = buildSnapshot(subscriber)
    return buildDeliveries(
      subscriber,
      event,
      { happened_at, actor: context.caller.name, snapshot, silence },
      ids,
    )
  })
  await enqueueDeliveries(tx, org_id, deliveries, context.now)
}

function buildSnapshot({ latest_index, state }: store.Subscriber): EnvironmentNotice['snapshot'] {
  return latest_index === 0 ? null : { index: latest_index, compliant: state }
}

interface AnnouncedEvent {
  event_type: EnvironmentEvent
  artifacts: readonly NoticeArtifact[]
  total: number
}

type Occurrence = Pick<EnvironmentNotice, 'happened_at' | 'actor' | 'snapshot' | 'silence'>

function buildDeliveries(
  subscriber: store.Subscriber,
  event: AnnouncedEvent,
  occurrence: Occurrence,
  ids: Ids,
): NewDelivery[] {
  const { org, environment, notification_id, number, name, target_id, type } = subscriber
  const isOneByOne = type === 'WEBHOOK' && event.event_type.endsWith('_ARTIFACT')
  const portions = isOneByOne
    ? event.artifacts.map(artifact => ({ artifacts: [artifact], artifacts_total: 1 }))
    : [{ artifacts: event.artifacts.slice(0, MAX_ARTIFACTS), artifacts_total: event.total }]
  return portions.map(portion => ({
    job_id: ids.next(),
    event_type: event.event_type,
    notification_id,
    notification_type: null,
    target_id,
    payload: {
      notice: {
        about: 'environment',
        event_type: event.event_type,
        org,
        environment,
        notification: { number, name },
        ...occurrence,
        ...portion,
      },
    },
  }))
}

/** By environment: the artifacts that make it non-compliant. */
async function readNonCompliant(tx: Db, org_id: string, environment_ids: readonly string[]) {
  const causes = new Map<string, { artifacts: NoticeArtifact[]; total: number }>()
  if (environment_ids.length === 0) return causes
  for (const row of await store.listNonCompliant(tx, org_id, environment_ids, MAX_ARTIFACTS)) {
    const { artifacts } = causes.get(row.environment_id) ?? { artifacts: [] }
    causes.set(row.environment_id, { artifacts: [...artifacts, toNoticeArtifact(row)], total: row.total })
  }
  return causes
}

function toNoticeArtifact(row: store.ArtifactRow): NoticeArtifact {
  const { name, fingerprint, change, compliant, was, now, flow, build_url, reasons } = row
  return {
    name,
    fingerprint,
    change,
    compliant,
    instances: was === null || now === null ? null : { was, now },
    provenance: flow && {
      flow_name: flow.flow_name,
      trail_name: flow.trail_name,
      artifact_state: flow.artifact_state,
      git_commit: flow.git_commit,
      commit_url: flow.commit_url,
      build_url,
    },
    reasons: reasons ?? [],
  }
}
