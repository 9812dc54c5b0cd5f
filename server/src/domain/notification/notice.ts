// What a message tells, before it is put into the words of a webhook, a chat or a mail. It is stored with the message, so
// that every attempt says the same. Times are epoch seconds.
import type { Reason } from '../policy/decision.ts'

export const TRIGGERS = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_SCALED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  'ON_STALE_ENV',
] as const

export type Trigger = (typeof TRIGGERS)[number]

export const FLOW_TRIGGERS = [
  'ON_STARTED_TRAIL',
  'ON_ATTESTED_PROVENANCE',
  'ON_ATTESTATION',
  'ON_APPROVAL',
  'ON_RELEASE',
] as const

export type FlowTrigger = (typeof FLOW_TRIGGERS)[number]

/** A release is an approval that is given. */
export type FlowEvent = 'STARTED_TRAIL' | 'ATTESTED_PROVENANCE' | 'ATTESTATION' | 'APPROVAL' | 'RELEASE'

/** As the webhook body calls it: the trigger without its first word. The end of silence has the trigger of its beginning. */
export type EnvironmentEvent =
  | 'STARTED_ARTIFACT'
  | 'EXITED_ARTIFACT'
  | 'SCALED_ARTIFACT'
  | 'ALLOWED_ARTIFACT'
  | 'NON_COMPLIANT_ENV'
  | 'COMPLIANT_ENV'
  | 'STALE_ENV'
  | 'REPORTING_ENV'

export type EventType = EnvironmentEvent | FlowEvent | 'API_KEY_EXPIRY' | 'TEST' | 'TARGET_SWITCHED_OFF'

export type TargetType = 'CHAT' | 'WEBHOOK' | 'EMAIL'

/** Where a running artifact comes from, as one flow knows it. */
export interface NoticeProvenance {
  flow_name: string
  trail_name: string | null
  artifact_state: 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE'
  git_commit: string | null
  commit_url: string | null
  build_url: string | null
}

export interface NoticeArtifact {
  name: string
  /** Empty when the environment did not tell it. */
  fingerprint: string
  /** What became of it: the annotation of the snapshot, `allow-listed`, or `running` where the message is not about it. */
  change: string
  /** Null when nothing judges it. */
  compliant: boolean | null
  instances: { was: number; now: number } | null
  provenance: NoticeProvenance | null
  /** Why it is not compliant; empty when it is. */
  reasons: readonly Reason[]
}

export interface EnvironmentNotice {
  about: 'environment'
  event_type: EnvironmentEvent
  org: string
  environment: string
  notification: { number: number; name: string }
  happened_at: number
  /** Whose doing it was. */
  actor: string
  /** Null before the first snapshot. */
  snapshot: { index: number; compliant: boolean | null } | null
  /**
   * The artifacts it is about, at most MOST_ARTIFACTS of them: exactly one in what a webhook is told of an artifact, the
   * offending ones when the environment is no longer compliant, none when it is compliant again.
   */
  artifacts: readonly NoticeArtifact[]
  /** How many there are, with those that are left out. */
  artifacts_total: number
  /** Of a stale environment: since when nothing is heard of it, and how often it is expected to report, in seconds. */
  silence?: { last_reported_at: number | null; expected_report_interval: number | null } | null
}

export interface FlowNotice {
  about: 'flow'
  event_type: FlowEvent
  org: string
  flow: string
  /** Null for what was reported without one. */
  trail: string | null
  notification: { number: number; name: string }
  happened_at: number
  /** Whose doing it was. */
  actor: string
  /** What was built, attested or approved; null where it is about the trail. */
  artifact: {
    name: string
    /** Empty where it has not been reported yet. */
    fingerprint: string
  } | null
  attestation: { id: string; name: string; type: string; compliant: boolean } | null
  approval: { number: number; state: string } | null
}

export interface KeyExpiryNotice {
  about: 'api_keys'
  event_type: 'API_KEY_EXPIRY'
  org: string
  happened_at: number
  keys: readonly ExpiringKey[]
}

export interface ExpiringKey {
  /** The service account, or the user for a personal key. */
  owner: string
  is_personal: boolean
  description: string
  /** The visible start of the key. */
  hint: string
  expires_at: number
  last_used_at: number | null
  /** `first` at 14 days, `last` at 3. */
  notice: 'first' | 'last'
}

export interface TestNotice {
  about: 'test'
  event_type: 'TEST'
  org: string
  happened_at: number
  asked_by: string
  /** Null for what the service raises by itself. */
  notification: { number: number; name: string } | null
}

/** Tells the admins that nobody is told any more. */
export interface SwitchedOffNotice {
  about: 'target'
  event_type: 'TARGET_SWITCHED_OFF'
  org: string
  happened_at: number
  notification: { number: number; name: string } | null
  target: {
    type: TargetType
    /** The origin of the address, or the mail addresses. */
    shown: string
  }
  failing_since: number
  error: string
}

export type Notice = EnvironmentNotice | FlowNotice | KeyExpiryNotice | TestNotice | SwitchedOffNotice

/** More than these are counted and not listed: a message is to be read, and a webhook body stays below 20 kB. */
export const MAX_ARTIFACTS = 10
export const MAX_REASONS = 3
