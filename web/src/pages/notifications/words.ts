// What the codes of the API mean, in plain words.
import type { Schemas } from '../../parts/schemas.ts'

export type Notification = Schemas['EnvironmentNotification']
export type Target = Notification['targets'][number]
export type TargetKind = Target['type']
export type Trigger = Notification['triggers'][number]
export type Delivery = Schemas['NotificationDelivery']
export type DeliveryStatus = Delivery['status']
export type EventType = Delivery['event_type']

export const TRIGGERS: Record<Trigger, string> = {
  ON_NON_COMPLIANT_ENV: 'An environment becomes non-compliant',
  ON_COMPLIANT_ENV: 'An environment becomes compliant again',
  ON_STALE_ENV: 'An environment becomes stale, or reports again',
  ON_STARTED_ARTIFACT: 'An artifact starts to run',
  ON_EXITED_ARTIFACT: 'An artifact stops running',
  ON_SCALED_ARTIFACT: 'The number of instances of an artifact changes',
  ON_ALLOWED_ARTIFACT: 'Somebody allows an artifact in an environment',
}

export const EVENTS: Record<EventType | 'STALE_ENV' | 'REPORTING_ENV', string> = {
  NON_COMPLIANT_ENV: 'Environment became non-compliant',
  COMPLIANT_ENV: 'Environment became compliant',
  STALE_ENV: 'Environment became stale',
  REPORTING_ENV: 'Environment reports again',
  STARTED_ARTIFACT: 'Artifact started',
  EXITED_ARTIFACT: 'Artifact stopped',
  SCALED_ARTIFACT: 'Artifact scaled',
  ALLOWED_ARTIFACT: 'Artifact was allowed',
  STARTED_TRAIL: 'Trail began',
  ATTESTED_PROVENANCE: 'Artifact was reported',
  ATTESTATION: 'Attestation was reported',
  APPROVAL: 'Approval was created',
  RELEASE: 'Artifact was approved',
  API_KEY_EXPIRY: 'API key ends soon',
  TEST: 'Test',
  TARGET_SWITCHED_OFF: 'Target was switched off',
}

export const STATUSES: Record<DeliveryStatus, { word: string; colour: string }> = {
  pending: { word: 'WAITING', colour: 'gray' },
  delivered: { word: 'DELIVERED', colour: 'green' },
  failed: { word: 'FAILED', colour: 'red' },
}

export const KINDS: Record<TargetKind, string> = { EMAIL: 'Mail', CHAT: 'Chat', WEBHOOK: 'Webhook' }

export const keysOf = <Key extends string>(words: Record<Key, unknown>) => Object.keys(words) as Key[]

/** One line. */
export const addressOf = (target: Target) =>
  target.type === 'EMAIL' ? target.emails.join(', ') : (target.webhook ?? target.webhook_origin)
