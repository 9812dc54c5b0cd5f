// API schemas of policies.
import { type Static, Type } from 'typebox'
import { FLOW_NAME } from '../../domain/names.ts'
import { OnlyArchived } from '../shared/archived.ts'
import {
  Archived,
  CaseSensitive,
  CreatedAt,
  CreatedBy,
  EventActor,
  EventsCount,
  EventTime,
  LastModifiedAt,
  OrgName,
  PageUrl,
  PolicyName,
  Version,
  VersionCreatedAt,
  VersionInput,
} from '../shared/fields.ts'
import { Page, Pagination, PerPage } from '../shared/page.ts'
import { about, Closed, Described, FreeText, Naming, Nullable, toEpoch } from '../shared/wire.ts'
import type { PolicyRow, PolicyVersionRow } from './store.ts'

const MAX_NAME = 255

const PolicyNameInput = Naming(
  'policy',
  Type.String({
    pattern: FLOW_NAME,
    maxLength: MAX_NAME,
    ...about('Name of the policy', 'production-rules'),
  }),
)
export const PoliciesPath = Closed('PoliciesPath', { org: OrgName })
export const PolicyPath = Closed('PolicyPath', { org: OrgName, name: PolicyName })
/** For a PUT, which may create the policy. */
export const NewPolicyPath = Closed('NewPolicyPath', {
  org: OrgName,
  name: PolicyNameInput,
})
export const PolicyVersionPath = Closed('PolicyVersionPath', {
  org: OrgName,
  name: PolicyName,
  version: VersionInput,
})

export const PolicyListQuery = Closed('PolicyListQuery', {
  archived: OnlyArchived,
  page: Page,
  per_page: PerPage,
  search_by_name: Type.Optional(Type.String({ description: 'Only policies whose name contains this text' })),
  case_sensitive: CaseSensitive,
})

const PUT = {
  description: Type.Optional(
    Described(FreeText, 'Description of the policy, in free text', 'What production asks for'),
  ),
  comment: Type.Optional(
    Type.String({
      maxLength: 65_536,
      ...about('Comment on this version', 'Four eyes for production'),
    }),
  ),
  type: Type.Optional(
    Type.Unsafe<'env'>({
      type: 'string',
      const: 'env',
      ...about('Always `env`: the policy applies to environments', 'env'),
    }),
  ),
  policy_yaml: Type.Optional(
    Type.String({ description: 'Policy YAML; required unless it is sent as the file `policy_file`' }),
  ),
}

export const PolicyPut = Closed('PolicyPut', {
  name: PolicyNameInput,
  ...PUT,
})
export const NamedPolicyPut = Closed('NamedPolicyPut', {
  name: Type.Optional(
    Described(PolicyNameInput, 'Name of the policy; must equal the name in the path', 'production-rules'),
  ),
  ...PUT,
})

const PolicyVersion = Closed('PolicyVersion', {
  version: Version,
  comment: Type.String(about('Reason for this version', 'Four eyes for production')),
  created_by: CreatedBy,
  timestamp: VersionCreatedAt,
  policy_yaml: Type.String(
    about(
      'The YAML as it was sent',
      '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n',
    ),
  ),
})

const IfCondition = Closed('PolicyCondition', {
  text: Type.String(
    about('The expression of the condition, without the wrapper around it', 'flow.name == "legacy"'),
  ),
})

const Requirement = Closed('PolicyRequirement', {
  required: Type.Boolean(about('Whether it is required', true)),
  exceptions: Type.Array(
    Closed('PolicyException', { if_condition: Described(IfCondition, 'Condition of the exception') }),
    about('Conditions that waive the requirement'),
  ),
})

const AttestationRule = Closed('PolicyAttestationRule', {
  if_condition: Nullable(
    IfCondition,
    about('Condition under which the rule applies; null means always', null),
  ),
  name: Type.String(about('Required attestation name; `*` means any', 'unit-tests')),
  type: Type.String(about('Required attestation type; `*` means any', 'junit')),
  must_be_compliant: Type.Boolean(about('Whether the attestation must also be compliant', true)),
  for_control: Nullable(
    Type.String(),
    about('Identifier of the control that the decision must be about; null if none', null),
  ),
})

/** The parsed policy, with defaults filled in. */
const PolicyDump = Closed(
  'PolicyDump',
  {
    schema_version: Type.Unsafe<'1'>({
      type: 'string',
      const: '1',
      ...about('Version of the rules format', '1'),
    }),
    artifacts: Closed(
      'PolicyDumpArtifacts',
      {
        provenance: Described(Requirement, 'Whether a flow must have reported the artifact'),
        trail_compliance: Described(Requirement, 'Whether the trail of the artifact must be compliant'),
        attestations: Type.Array(AttestationRule, about('Attestations that the artifact must have')),
      },
      about('Rules for artifacts'),
    ),
  },
  about('The parsed rules'),
)

const PolicyWarning = Closed('PolicyWarning', {
  field: Type.String(about('Position in the policy', 'artifacts.attestations[0].if')),
  expression: Type.String(about('The expression with the problem', 'flow.nam == "legacy"')),
  column: Type.Integer(about('Position in the expression, starting at 1', 6)),
  message: Type.String(about('Description of the problem', 'flow has no attribute nam')),
})

export const PolicyVersionDetail = Closed('PolicyVersionDetail', {
  org: OrgName,
  policy_name: PolicyName,
  ...PolicyVersion.properties,
  is_latest: Type.Boolean(about('Whether this is the latest version', true)),
  policy_dump: PolicyDump,
  warnings: Type.Array(PolicyWarning, {
    description:
      'Valid rules that are probably not intended: suspicious expressions, and custom types that do not exist',
  }),
})
export type PolicyVersionDetail = Static<typeof PolicyVersionDetail>

const PolicyEvent = Closed('PolicyEvent', {
  type: Type.String(about('Type of the event', 'policy_created')),
  timestamp: EventTime,
  user: EventActor,
  data: Type.Record(Type.String(), Type.Unknown(), about('Details of the event', { version: 1 })),
})

export const Policy = Closed('Policy', {
  org: OrgName,
  name: PolicyName,
  description: Type.String(about('Description of the policy, in free text', 'What production asks for')),
  archived: Archived,
  consuming_envs: Type.Array(
    Type.String(),
    about('Names of the environments that it is attached to', ['production']),
  ),
  created_by: CreatedBy,
  created_at: CreatedAt,
  last_modified_at: LastModifiedAt,
  events: Type.Array(PolicyEvent, {
    description: 'Events of the policy: the newest 1000, oldest first; empty in pages of a list',
  }),
  events_count: EventsCount,
  versions: Type.Array(PolicyVersion, {
    description: 'All versions, oldest first. The last one applies; pages of a list contain only that one',
  }),
  html_url: PageUrl,
})
export type Policy = Static<typeof Policy>

export const PolicyPage = Closed('PolicyPage', {
  data: Type.Array(Policy, about('The items on this page')),
  pagination: Pagination,
})

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
