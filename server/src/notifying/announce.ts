// From a change of an environment to the messages about it, in the transaction of the change: what is committed is told,
// and nothing else. A webhook is told of each artifact by itself; people get one message for all that happened alike.
import type { Db } from '../db/database.ts'
import { enqueueDeliveries, type NewDelivery } from '../delivery/outbox.ts'
import {
  type EnvironmentEvent,
  type EnvironmentNotice,
  MOST_ARTIFACTS,
  type NoticeArtifact,
} from '../domain/notification/notice.ts'
import { eventsOf, triggerOf } from '../domain/notification/triggers.ts'
import type { Occasion } from '../events/record.ts'
import type { Ids } from '../lib/ids.ts'
import * as store from './announce-store.ts'

const MS_PER_SECOND = 1000
const ABOUT_ARTIFACTS: readonly EnvironmentEvent[] = [
  'STARTED_ARTIFACT',
  'EXITED_ARTIFACT',
  'SCALED_ARTIFACT',
]

export interface NewSnapshot {
  environment_id: string
  snapshot_index: number
  created_at: Date
  /** The verdict of the snapshot before, and of this one. */
  before: boolean | null
  after: boolean | null
  /** The snapshot whose artifacts changed: its own, or that of the member of a logical environment. */
  changes_of: { environment_id: string; snapshot_index: number } | null
}

/** Call it after the snapshot was taken, in the same transaction. One statement when nobody listens. */
export async function announceSnapshot(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  taken: NewSnapshot,
): Promise<void> {
  const { org_id } = occasion.org
  const { environment_id, before, after } = taken
  const listeners = await store.listenersOf(tx, org_id, environment_id, { with_logical: false })
  if (listeners.length === 0) return
  const isAwaited = (event: EnvironmentEvent) =>
    listeners.some(({ triggers }) => triggers.includes(triggerOf(event)))
  const changed =
    taken.changes_of && ABOUT_ARTIFACTS.some(isAwaited)
      ? (await store.changesOf(tx, org_id, taken.changes_of)).map(toldArtifact)
      : []
  const happened: Happened[] = []
  for (const { event_type, artifacts } of eventsOf({ before, after, changes: changed })) {
    if (!isAwaited(event_type)) continue
    happened.push(
      event_type === 'NON_COMPLIANT_ENV'
        ? { event_type, ...(await offendersIn(tx, org_id, environment_id)) }
        : { event_type, artifacts, total: artifacts.length },
    )
  }
  const snapshot = { index: taken.snapshot_index, compliant: after }
  const moment = { happened_at: taken.created_at.getTime() / MS_PER_SECOND, actor: occasion.caller.name }
  const deliveries = happened.flatMap(event =>
    listeners
      .filter(({ triggers }) => triggers.includes(triggerOf(event.event_type)))
      .flatMap(listener => deliveriesFor(listener, event, { ...moment, snapshot }, ids)),
  )
  await enqueueDeliveries(tx, org_id, deliveries, occasion.now)
}

export interface AllowedArtifact {
  environment_id: string
  fingerprint: string
  artifact_name: string
}

/** Call it after an entry was added to the allow-list, in the same transaction. */
export async function announceAllowed(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  { environment_id, fingerprint, artifact_name }: AllowedArtifact,
): Promise<void> {
  const { org_id } = occasion.org
  const all = await store.listenersOf(tx, org_id, environment_id, { with_logical: true })
  const listeners = all.filter(({ triggers }) => triggers.includes(triggerOf('ALLOWED_ARTIFACT')))
  if (listeners.length === 0) return
  const known = await store.whereItComesFrom(tx, org_id, fingerprint)
  const artifact = toldArtifact({
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
  const happened_at = occasion.now.getTime() / MS_PER_SECOND
  const deliveries = listeners.flatMap(listener => {
    const moment = { happened_at, actor: occasion.caller.name, snapshot: snapshotOf(listener) }
    const event = { event_type: 'ALLOWED_ARTIFACT', artifacts: [artifact], total: 1 } as const
    return deliveriesFor(listener, event, moment, ids)
  })
  await enqueueDeliveries(tx, org_id, deliveries, occasion.now)
}

export interface Silence {
  environment_id: string
  event_type: 'STALE_ENV' | 'REPORTING_ENV'
  silence: NonNullable<EnvironmentNotice['silence']> | null
}

/** Call it after the beginning or the end of silence was recorded, in the same transaction. */
export async function announceSilence(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  { environment_id, event_type, silence }: Silence,
): Promise<void> {
  const { org_id } = occasion.org
  const all = await store.listenersOf(tx, org_id, environment_id, { with_logical: true })
  const listeners = all.filter(({ triggers }) => triggers.includes(triggerOf(event_type)))
  const happened_at = occasion.now.getTime() / MS_PER_SECOND
  const event = { event_type, artifacts: [], total: 0 }
  const deliveries = listeners.flatMap(listener => {
    const snapshot = snapshotOf(listener)
    return deliveriesFor(
      listener,
      event,
      { happened_at, actor: occasion.caller.name, snapshot, silence },
      ids,
    )
  })
  await enqueueDeliveries(tx, org_id, deliveries, occasion.now)
}

function snapshotOf({ latest_index, state }: store.Listener): EnvironmentNotice['snapshot'] {
  return latest_index === 0 ? null : { index: latest_index, compliant: state }
}

interface Happened {
  event_type: EnvironmentEvent
  artifacts: readonly NoticeArtifact[]
  total: number
}

type Moment = Pick<EnvironmentNotice, 'happened_at' | 'actor' | 'snapshot' | 'silence'>

function deliveriesFor(listener: store.Listener, event: Happened, moment: Moment, ids: Ids): NewDelivery[] {
  const { org, environment, notification_id, number, name, target_id, type } = listener
  const isOneByOne = type === 'WEBHOOK' && event.event_type.endsWith('_ARTIFACT')
  const portions = isOneByOne
    ? event.artifacts.map(artifact => ({ artifacts: [artifact], artifacts_total: 1 }))
    : [{ artifacts: event.artifacts.slice(0, MOST_ARTIFACTS), artifacts_total: event.total }]
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
        ...moment,
        ...portion,
      },
    },
  }))
}

async function offendersIn(tx: Db, org_id: string, environment_id: string) {
  const { artifacts, total } = await store.offendersOf(tx, org_id, environment_id, MOST_ARTIFACTS)
  return { artifacts: artifacts.map(toldArtifact), total }
}

function toldArtifact(row: store.ToldArtifact): NoticeArtifact {
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
