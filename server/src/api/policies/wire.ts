// API schemas of policies.
import { type Static, Type } from 'typebox'
import { FLOW_NAME } from '../../domain/names.ts'
import { OnlyArchived } from '../shared/archived.ts'
import { Page, Pagination, PerPage } from '../shared/page.ts'
import { Closed, EpochSeconds, FreeText, Nullable, toEpoch } from '../shared/wire.ts'
import type { PolicyRow, PolicyVersionRow } from './store.ts'

const MAX_NAME = 255
const MAX_NAMES = 100

export const PolicyName = Type.String({ pattern: FLOW_NAME, maxLength: MAX_NAME })
export const PoliciesPath = Closed('PoliciesPath', { org: Type.String() })
export const PolicyPath = Closed('PolicyPath', { org: Type.String(), name: Type.String() })
/** For a PUT, which may create the policy. */
export const NewPolicyPath = Closed('NewPolicyPath', { org: Type.String(), name: PolicyName })
export const PolicyVersionPath = Closed('PolicyVersionPath', {
  org: Type.String(),
  name: Type.String(),
  version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})

export const PolicyListQuery = Closed('PolicyListQuery', {
  archived: OnlyArchived,
  page: Page,
  per_page: PerPage,
  search_by_name: Type.Optional(Type.String({ description: 'Only policies whose name contains this text' })),
  case_sensitive: Type.Optional(Type.Boolean()),
})

const PUT = {
  description: Type.Optional(FreeText),
  comment: Type.Optional(Type.String({ maxLength: 65_536, description: 'Comment on this version' })),
  type: Type.Optional(Type.Unsafe<'env'>({ type: 'string', const: 'env' })),
  policy_yaml: Type.Optional(
    Type.String({ description: 'Policy YAML; required unless it is sent as the file `policy_file`' }),
  ),
}

export const PolicyPut = Closed('PolicyPut', { name: PolicyName, ...PUT })
export const NamedPolicyPut = Closed('NamedPolicyPut', { name: Type.Optional(PolicyName), ...PUT })

/** The policies to attach to or detach from an environment. */
export const EnvironmentPolicies = Closed('EnvironmentPolicies', {
  policy_names: Type.Array(Type.String({ minLength: 1, maxLength: MAX_NAME }), {
    minItems: 1,
    maxItems: MAX_NAMES,
  }),
})

const PolicyVersion = Closed('PolicyVersion', {
  version: Type.Integer(),
  comment: Type.String(),
  created_by: Type.String(),
  timestamp: EpochSeconds,
  policy_yaml: Type.String({ description: 'The YAML as it was sent' }),
})

const IfCondition = Closed('PolicyCondition', {
  text: Type.String({ description: 'The expression, without the wrapper around it' }),
})

const Requirement = Closed('PolicyRequirement', {
  required: Type.Boolean(),
  exceptions: Type.Array(Closed('PolicyException', { if_condition: IfCondition })),
})

const AttestationRule = Closed('PolicyAttestationRule', {
  if_condition: Nullable(IfCondition),
  name: Type.String(),
  type: Type.String(),
  must_be_compliant: Type.Boolean(),
  for_control: Nullable(Type.String()),
})

/** The parsed policy, with defaults filled in. */
export const PolicyDump = Closed('PolicyDump', {
  schema_version: Type.Unsafe<'1'>({ type: 'string', const: '1' }),
  artifacts: Closed('PolicyDumpArtifacts', {
    provenance: Requirement,
    trail_compliance: Requirement,
    attestations: Type.Array(AttestationRule),
  }),
})

const PolicyWarning = Closed('PolicyWarning', {
  field: Type.String(),
  expression: Type.String(),
  column: Type.Integer({ description: 'Position in the expression, starting at 1' }),
  message: Type.String(),
})

export const PolicyVersionDetail = Closed('PolicyVersionDetail', {
  org: Type.String(),
  policy_name: Type.String(),
  ...PolicyVersion.properties,
  is_latest: Type.Boolean(),
  policy_dump: PolicyDump,
  warnings: Type.Array(PolicyWarning, {
    description:
      'Valid rules that are probably not intended: suspicious expressions, and custom types that do not exist',
  }),
})
export type PolicyVersionDetail = Static<typeof PolicyVersionDetail>

const PolicyEvent = Closed('PolicyEvent', {
  type: Type.String(),
  timestamp: EpochSeconds,
  user: Type.String(),
  data: Type.Record(Type.String(), Type.Unknown()),
})

export const Policy = Closed('Policy', {
  org: Type.String(),
  name: Type.String(),
  description: Type.String(),
  archived: Type.Boolean(),
  consuming_envs: Type.Array(Type.String(), { description: 'Names of the environments it is attached to' }),
  created_by: Type.String(),
  created_at: EpochSeconds,
  last_modified_at: EpochSeconds,
  events: Type.Array(PolicyEvent, {
    description: 'The newest 1000, oldest first; empty in pages of a list',
  }),
  events_count: Type.Integer({ description: 'Total number of events' }),
  versions: Type.Array(PolicyVersion, {
    description: 'Oldest first. The last one applies; pages of a list contain only that one',
  }),
  html_url: Type.String(),
})
export type Policy = Static<typeof Policy>

export const PolicyPage = Closed('PolicyPage', { data: Type.Array(Policy), pagination: Pagination })

/** A plain array, or the envelope if a page was requested. */
export const PolicyList = Type.Unsafe<Policy[] | Static<typeof PolicyPage>>({
  anyOf: [Type.Array(Policy), PolicyPage],
  title: 'PolicyList',
})

/** Needed to build links. */
export interface Site {
  base_url: string
  org: string
}

export function toWire(row: PolicyRow, { base_url, org }: Site): Policy {
  const page = [org, 'policies', row.name].map(encodeURIComponent).join('/')
  return {
    org,
    name: row.name,
    description: row.description,
    archived: row.archived_at !== null,
    consuming_envs: row.consuming_envs,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    last_modified_at: toEpoch(row.last_modified_at),
    events: row.events.map(({ kind, happened_at, actor, data }) => ({
      type: kind,
      timestamp: toEpoch(new Date(happened_at)),
      user: actor,
      data,
    })),
    events_count: row.events_count,
    versions: row.versions.map(({ created_at, ...version }) =>
      toWireVersion({ ...version, created_at: new Date(created_at) }),
    ),
    html_url: `${base_url}/${page}`,
  }
}

export function toWireVersion(row: Omit<PolicyVersionRow, 'parsed'>): Static<typeof PolicyVersion> {
  return {
    version: row.version,
    comment: row.comment,
    created_by: row.created_by,
    timestamp: toEpoch(row.created_at),
    policy_yaml: row.policy_yaml,
  }
}
