// API schemas of environments.
import { type Static, Type } from 'typebox'
import { ENVIRONMENT_NAME } from '../../domain/names.ts'
import { ENVIRONMENT_TYPES, type EnvironmentType } from '../../domain/snapshot/report.ts'
import { computeCurrentVerdict, ENVIRONMENT_STATES, isStale } from '../../domain/snapshot/staleness.ts'
import { findUnknownCauseOf } from '../../domain/snapshot/unknown.ts'
import { toWireId } from '../../lib/ids.ts'
import { OnlyArchived } from '../shared/archived.ts'
import {
  Archived,
  CreatedAt,
  CreatedBy,
  EnvironmentName,
  Id,
  LastModifiedAt,
  LatestSnapshotIndex,
  OrgName,
  PageUrl,
  SortDirection,
  SpaceIds,
} from '../shared/fields.ts'
import { LINKED_PAGE, Page, PerPage } from '../shared/page.ts'
import { UnknownBecause } from '../shared/verdict-wire.ts'
import {
  about,
  Closed,
  Described,
  FreeText,
  Naming,
  Nullable,
  OneOf,
  Tags,
  Time,
  toEpoch,
  toEpochOrNull,
} from '../shared/wire.ts'
import { Missing, Reporter } from './report-view.ts'
import type { EnvironmentRow } from './store.ts'

const MAX_NAME = 255
const MAX_INCLUDED = 500
const MAX_POLICIES = 100
const MAX_FILTERS = 100
const MIN_INTERVAL_S = 10
const MAX_INTERVAL_S = 366 * 24 * 3600

const NewEnvironmentName = Type.String({
  pattern: ENVIRONMENT_NAME,
  maxLength: MAX_NAME,
  ...about('Name of the environment', 'production'),
})
export const EnvironmentPath = Closed('EnvironmentPath', { org: OrgName, env_name: EnvironmentName })

const Kind = OneOf([...ENVIRONMENT_TYPES])
const IncludeScaling = Type.Boolean(
  about('Whether a change in the number of instances alone makes a snapshot', false),
)
const ExpectedReportInterval = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: MIN_INTERVAL_S,
  maximum: MAX_INTERVAL_S,
  description:
    'Expected seconds between two reports. After three intervals without a report, it is stale; null means never',
})
const IncludedEnvironments = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: Naming('environment', Type.String()),
  maxItems: MAX_INCLUDED,
  description: 'All members of a logical environment, by name; null keeps the current members',
})
const PolicyNames = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: Naming('policy', Type.String()),
  maxItems: MAX_POLICIES,
  description: 'All attached policies, by name; null keeps the current policies',
})

/** The fields that both PUT and PATCH set. */
const SETTABLE = {
  include_scaling: Type.Optional(IncludeScaling),
  expected_report_interval: Type.Optional(ExpectedReportInterval),
  included_environments: Type.Optional(IncludedEnvironments),
  policies: Type.Optional(PolicyNames),
}

export const CreateEnvironmentPutInput = Closed('CreateEnvironmentPutInput', {
  name: Naming('environment', NewEnvironmentName),
  type: Described(Kind, 'Type of the environment', 'K8S'),
  description: Type.Optional(
    Described(FreeText, 'Description of the environment, in free text', 'Where customers are served'),
  ),
  require_provenance: Type.Optional(
    Type.Boolean({
      deprecated: true,
      description: 'Stored and returned, but has no effect; use a policy to require provenance',
    }),
  ),
  ...SETTABLE,
})
export type CreateEnvironmentPutInput = Static<typeof CreateEnvironmentPutInput>

export const EnvironmentPatch = Closed('EnvironmentPatch', {
  description: Type.Optional(
    Described(
      FreeText,
      'Description of the environment; omit to keep the current one',
      'Where customers are served',
    ),
  ),
  ...SETTABLE,
})

export const EnvironmentRename = Closed('EnvironmentRename', {
  new_name: Described(
    NewEnvironmentName,
    'New name of the environment; the old name keeps working',
    'production-eu',
  ),
})

export const EnvironmentJoin = Closed('EnvironmentJoin', {
  physical_env_name: Naming(
    'environment',
    Type.String(about('Name of the environment to include', 'production')),
  ),
})

export const EnvironmentListQuery = Closed('EnvironmentListQuery', {
  archived: OnlyArchived,
  page: Page,
  per_page: PerPage,
  name: Type.Optional(
    Type.String(about('Only environments whose name contains this text (case-insensitive)', 'backend')),
  ),
  type: Type.Optional(
    Type.Array(Kind, { maxItems: MAX_FILTERS, description: 'Only environments of one of these types' }),
  ),
  space_id: SpaceIds,
  tag: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_FILTERS,
      ...about(
        'A key or `key:value`. Only environments with at least one of these tags; an empty value matches nothing',
        ['team:payments'],
      ),
    }),
  ),
  state: Type.Optional(
    OneOf([...ENVIRONMENT_STATES], {
      description:
        'Only environments in this state by their last verdict; `compliance` goes by what is known now',
    }),
  ),
  compliance: Type.Optional(
    OneOf([...ENVIRONMENT_STATES], {
      description: 'Only those in this state now: unknown if `unknown_because` is set, unless it is stale',
    }),
  ),
  sort: Type.Optional(
    OneOf(['name', 'last_modified_at', 'last_changed_at', 'urgency', 'compliance'], {
      description:
        'Sort order; `urgency` means non-compliant, stale, unknown, compliant, each sorted by name, in the sense of ' +
        '`state`; `compliance` means the same in the sense of the filter `compliance`',
    }),
  ),
  sort_direction: SortDirection,
})

/** Whether something may be running that the reporter could not see. */
export const PARTIAL = {
  is_partial: Type.Boolean({
    description: 'Whether the last report of it, or of a member of a logical one, was partial',
  }),
  partial_since: Nullable(
    Time('Time since which reports have been partial; null if the last one is complete'),
    {
      examples: [null],
    },
  ),
  missing: Described(
    Missing,
    'What the last report could not list; of a logical one, the partial members',
    [],
  ),
}

export const Environment = Closed('Environment', {
  id: Id,
  org: OrgName,
  name: EnvironmentName,
  type: Described(Kind, 'Type of the environment, as it was last sent', 'K8S'),
  neutral_type: Described(Kind, 'Type of the environment, in the terms of this document', 'K8S'),
  description: Type.String(about('Description of the environment', 'Where customers are served')),
  last_modified_at: LastModifiedAt,
  last_reported_at: Nullable(
    Time('Time of the last report, or at which it was observed if it says so; null means never'),
  ),
  observed_at: Nullable(Time('Time at which the last report was observed; null if it does not say'), {
    examples: [null],
  }),
  reporter: Nullable(Reporter, about('The program that sent the last report; null if it does not say', null)),
  last_changed_at: Nullable(Time('Time of the last change of its artifacts; null means never')),
  state: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    ...about(
      'Whether the running artifacts are compliant; null if unknown, or if last known before it became stale or partial',
      true,
    ),
  }),
  unknown_because: UnknownBecause,
  is_stale: Type.Boolean({
    description: 'Whether it, or a member of a logical one, has missed reports for three expected intervals',
  }),
  stale_since: Nullable(Time('Time since which it is stale; null if it is not')),
  ...PARTIAL,
  expected_report_interval: ExpectedReportInterval,
  include_scaling: IncludeScaling,
  require_provenance: Type.Boolean(
    about('Stored and returned, but has no effect; use a policy to require provenance', false),
  ),
  tags: Tags,
  policies: Type.Array(Type.String(), about('Names of the attached policies', ['production-rules'])),
  included_environments: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    ...about('Names of the members of a logical environment; null for other types', null),
  }),
  latest_snapshot_index: LatestSnapshotIndex,
  archived: Archived,
  created_by: CreatedBy,
  created_at: CreatedAt,
  html_url: PageUrl,
})
export type Environment = Static<typeof Environment>

export const EnvironmentPage = Closed('EnvironmentPage', {
  environments: Type.Array(Environment, about('The environments on this page')),
  ...LINKED_PAGE,
})

/** A plain array, or an envelope if the caller requested a page. */
export const EnvironmentList = Type.Unsafe<Environment[] | Static<typeof EnvironmentPage>>({
  anyOf: [Type.Array(Environment), EnvironmentPage],
  title: 'EnvironmentList',
})

export interface Site {
  org: string
  base_url: string
  now: Date
}

export function toWirePartial({ partial_since, missing }: EnvironmentRow) {
  return {
    is_partial: partial_since !== null,
    partial_since: toEpochOrNull(partial_since),
    missing: (partial_since !== null && missing) || [],
  }
}

export function toWire(row: EnvironmentRow, { org, base_url, now }: Site): Environment {
  const is_stale = isStale(row.stale_at, now)
  return {
    id: toWireId(row.environment_id),
    org,
    name: row.name,
    type: (row.client_type ?? row.type) as EnvironmentType,
    neutral_type: row.type as EnvironmentType,
    description: row.description,
    last_modified_at: toEpoch(row.last_modified_at),
    last_reported_at: toEpochOrNull(row.last_reported_at),
    observed_at: toEpochOrNull(row.observed_at),
    reporter: row.reporter as Environment['reporter'],
    last_changed_at: toEpochOrNull(row.last_changed_at),
    state: computeCurrentVerdict(row.state, row.stale_at, now),
    unknown_because: findUnknownCauseOf(row, now),
    is_stale,
    stale_since: is_stale ? toEpochOrNull(row.stale_at) : null,
    ...toWirePartial(row),
    expected_report_interval: row.expected_report_interval,
    include_scaling: row.include_scaling,
    require_provenance: row.require_provenance,
    tags: row.tags,
    policies: row.policies,
    included_environments: row.type === 'logical' ? row.included_environments : null,
    latest_snapshot_index: row.latest_index,
    archived: row.archived_at !== null,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    html_url: `${base_url}/${encodeURIComponent(org)}/environments/${encodeURIComponent(row.name)}`,
  }
}
