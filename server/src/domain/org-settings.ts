// The organization settings that admins choose.
import type { Role, Step } from './roles.ts'

/** The settings of one organization. A setting that was never set is missing. */
export interface OrgSettings {
  default_role?: 'member' | 'snapshotter' | 'reader'
  mail_domains?: string[]
  public_read?: boolean
  /** Whether anyone can read the log, without the bodies of its leaves. */
  public_log?: boolean
  /** Limits new service account keys, and rejects older personal keys; null for no maximum. */
  max_key_lifetime_days?: number | null
  /** IP addresses and CIDR ranges that may access the organization; empty means any. */
  allowed_addresses?: string[]
  /** The minimum role that may create service accounts. */
  service_account_creators?: Step
  /** The minimum role that may override, approve and allow. Defaults to the role that the operation needs. */
  decision_role?: Role
  /** SCIM groups whose members may do so; empty means that no group is required. */
  decision_groups?: string[]
  /** Whether people may not override or approve what they or their service accounts reported. */
  separate_duties?: boolean
  /** Whether people who wrote, attached or detached a policy need a second person to overrule it. */
  separate_policy_authors?: boolean
  /** Decisions that a second person must confirm. */
  two_person_decisions?: ('override' | 'allow')[]
  /** How many days the keys of a service account keep working after its owner leaves. */
  leaver_grace_days?: number
  sso_required?: boolean
  break_glass?: string[]
}

/** The initial settings of new organizations. Existing organizations keep their settings. */
export const NEW_ORG_SETTINGS: OrgSettings = { max_key_lifetime_days: 365 }
