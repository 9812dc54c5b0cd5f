// What the codes of the API mean, in plain words.
import type { Schemas } from '../../parts/schemas.ts'

export type Notification = Schemas['EnvironmentNotification'] | Schemas['FlowNotification']
export type Target = Notification['targets'][number]
export type TargetKind = Target['type']
type EnvironmentTrigger = Schemas['EnvironmentNotification']['triggers'][number]
type FlowTrigger = Schemas['FlowNotification']['triggers'][number]
export type Trigger = EnvironmentTrigger | FlowTrigger
export type Delivery = Schemas['NotificationDelivery']
export type DeliveryStatus = Delivery['status']
export type EventType = Delivery['event_type']

export const ENVIRONMENT_TRIGGERS: Record<EnvironmentTrigger, string> = {
  ON_NON_COMPLIANT_ENV: 'An environment becomes non-compliant',
  ON_COMPLIANT_ENV: 'An environment becomes compliant again',
  ON_STALE_ENV: 'An environment becomes stale, or reports again',
  ON_STARTED_ARTIFACT: 'An artifact starts to run',
  ON_EXITED_ARTIFACT: 'An artifact stops running',
  ON_SCALED_ARTIFACT: 'The number of instances of an artifact changes',
  ON_ALLOWED_ARTIFACT: 'Somebody allows an artifact in an environment',
}

export const FLOW_TRIGGERS: Record<FlowTrigger, string> = {
  ON_STARTED_TRAIL: 'A trail begins',
  ON_ATTESTED_PROVENANCE: 'An artifact is reported',
  ON_ATTESTATION: 'An attestation is reported',
  ON_APPROVAL: 'Somebody asks for an approval, or gives one',
  ON_RELEASE: 'Somebody gives an approval',
}

export const TRIGGERS: Record<Trigger, string> = { ...ENVIRONMENT_TRIGGERS, ...FLOW_TRIGGERS }

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

/** Those of the codes that these words explain. */
export const codesIn = <Key extends string>(codes: readonly string[], words: Record<Key, string>): Key[] =>
  codes.filter((code): code is Key => Object.hasOwn(words, code))

/** One line. */
export const addressOf = (target: Target) =>
  target.type === 'EMAIL' ? target.emails.join(', ') : (target.webhook ?? target.webhook_origin)
