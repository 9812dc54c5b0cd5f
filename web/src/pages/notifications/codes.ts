// The codes of the API and their labels.
import type { Schemas } from '../../parts/schemas.ts'
import { codeTexts as texts } from './texts-codes.ts'

export type Notification = Schemas['EnvironmentNotification'] | Schemas['FlowNotification']
export type Target = Notification['targets'][number]
export type TargetKind = Target['type']
type EnvironmentTrigger = Schemas['EnvironmentNotification']['triggers'][number]
type FlowTrigger = Schemas['FlowNotification']['triggers'][number]
export type Trigger = EnvironmentTrigger | FlowTrigger
export type Delivery = Schemas['NotificationDelivery']
export type DeliveryStatus = Delivery['status']
export type EventType = Delivery['event_type']

export const ENVIRONMENT_TRIGGERS: Record<EnvironmentTrigger, string> = texts.environmentTriggers
export const FLOW_TRIGGERS: Record<FlowTrigger, string> = texts.flowTriggers
export const TRIGGERS: Record<Trigger, string> = { ...ENVIRONMENT_TRIGGERS, ...FLOW_TRIGGERS }

export const EVENTS: Record<EventType | 'STALE_ENV' | 'REPORTING_ENV', string> = texts.events

export const STATUSES: Record<DeliveryStatus, { word: string; colour: string }> = {
  pending: { word: texts.statuses.pending, colour: 'gray' },
  delivered: { word: texts.statuses.delivered, colour: 'green' },
  failed: { word: texts.statuses.failed, colour: 'red' },
  suppressed: { word: texts.statuses.suppressed, colour: 'gray' },
}

export const KINDS: Record<TargetKind, string> = texts.targetKinds

export const listKeys = <Key extends string>(labels: Record<Key, unknown>) => Object.keys(labels) as Key[]

/** Keeps the codes that have a label. */
export const pickCodes = <Key extends string>(codes: readonly string[], labels: Record<Key, string>): Key[] =>
  codes.filter((code): code is Key => Object.hasOwn(labels, code))

export const formatAddress = (target: Target) =>
  target.type === 'EMAIL' ? target.emails.join(', ') : (target.webhook ?? target.webhook_origin)
