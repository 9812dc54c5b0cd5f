// The content of a message before it is formatted as a webhook, a chat message or a mail. It is stored with the
// message, so that every attempt sends the same content. Times are epoch seconds.
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

/** A release is an approval that was granted. */
export type FlowEvent = 'STARTED_TRAIL' | 'ATTESTED_PROVENANCE' | 'ATTESTATION' | 'APPROVAL' | 'RELEASE'

/** The name in the webhook body: the trigger without `ON_`. `REPORTING_ENV` shares the trigger of `STALE_ENV`. */
export type EnvironmentEvent =
  | 'STARTED_ARTIFACT'
  | 'EXITED_ARTIFACT'
  | 'SCALED_ARTIFACT'
  | 'ALLOWED_ARTIFACT'
  | 'NON_COMPLIANT_ENV'
  | 'COMPLIANT_ENV'
  | 'STALE_ENV'
  | 'REPORTING_ENV'

export type EventType =
  | EnvironmentEvent
  | FlowEvent
  | 'API_KEY_EXPIRY'
  | 'TEST'
  | 'TARGET_SWITCHED_OFF'
  | 'LOG_FORK'
  | 'SCIM_TOKEN_STOPPED'

export type TargetType = 'CHAT' | 'WEBHOOK' | 'EMAIL'

/** The origin of a running artifact according to one flow. */
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
  /** Empty if the environment did not report it. */
  fingerprint: string
  /**
   * What happened to it: the annotation of the snapshot, `allow-listed`, or `running` if the message is not about it.
   */
  change: string
  /** Null if no policy evaluates the artifact. */
  compliant: boolean | null
  instances: { was: number; now: number } | null
  provenance: NoticeProvenance | null
  /** Why the artifact is not compliant; empty if it is compliant. */
  reasons: readonly Reason[]
}

export interface EnvironmentNotice {
  about: 'environment'
  event_type: EnvironmentEvent
  org: string
  environment: string
  notification: { number: number; name: string }
  happened_at: number
  /** The user or service account that caused the event. */
  actor: string
  /** Null before the first snapshot. */
  snapshot: { index: number; compliant: boolean | null } | null
  /**
   * The artifacts the message is about, at most MAX_ARTIFACTS: exactly one in a webhook about an artifact, the
   * non-compliant ones when the environment becomes non-compliant, none when it becomes compliant.
   */
  artifacts: readonly NoticeArtifact[]
  /** The number of all artifacts, including those not listed. */
  artifacts_total: number
  /** For a stale environment: the time of its latest report, and its expected report interval in seconds. */
  silence?: { last_reported_at: number | null; expected_report_interval: number | null } | null
}

export interface FlowNotice {
  about: 'flow'
  event_type: FlowEvent
  org: string
  flow: string
  /** Null if it was reported without a trail. */
  trail: string | null
  notification: { number: number; name: string }
  happened_at: number
  /** The user or service account that caused the event. */
  actor: string
  /** The artifact that was reported, attested or approved; null if the event is about the trail. */
  artifact: {
    name: string
    /** Empty if it has not been reported yet. */
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
  /** Null for the notices that the service sends on its own. */
  notification: { number: number; name: string } | null
}

/** Notifies the admins that a target was switched off because deliveries to it kept failing. */
export interface SwitchedOffNotice {
  about: 'target'
  event_type: 'TARGET_SWITCHED_OFF'
  org: string
  happened_at: number
  notification: { number: number; name: string } | null
  target: {
    type: TargetType
    /** The origin of the URL, or the mail addresses. */
    shown: string
  }
  failing_since: number
  error: string
}

/** Notifies the admins that witnesses have seen a different log of the organization. */
export interface LogForkNotice {
  about: 'log'
  event_type: 'LOG_FORK'
  org: string
  happened_at: number
  /** The name of the log. */
  origin: string
  /** How many leaves the log had when the witnesses were asked. */
  size: number
  witnesses: readonly { name: string; message: string }[]
}

/** Notifies the admins that SCIM tokens stopped working, because whoever answered for them is no longer an admin. */
export interface TokensStoppedNotice {
  about: 'scim_tokens'
  event_type: 'SCIM_TOKEN_STOPPED'
  org: string
  happened_at: number
  /** Login name of the person. */
  owner: string
  has_left: boolean
  tokens: readonly {
    description: string
    /** The visible start of the token. */
    hint: string
  }[]
}

export type Notice =
  | EnvironmentNotice
  | FlowNotice
  | KeyExpiryNotice
  | TestNotice
  | SwitchedOffNotice
  | LogForkNotice
  | TokensStoppedNotice

/** Further entries are counted but not listed: messages stay readable, and a webhook body stays below 20 kB. */
export const MAX_ARTIFACTS = 10
export const MAX_REASONS = 3
