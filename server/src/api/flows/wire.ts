// API schemas of flows.
import { type Static, Type } from 'typebox'
import { FLOW_NAME } from '../../domain/names.ts'
import { toWireId } from '../../lib/ids.ts'
import { OnlyArchived } from '../shared/archived.ts'
import {
  Archived,
  CaseSensitive,
  CreatedAt,
  CreatedBy,
  FlowName,
  Id,
  LastModifiedAt,
  OrgName,
  RepoUrl,
  SortDirection,
  SpaceIds,
} from '../shared/fields.ts'
import { Page, Pagination, PerPage } from '../shared/page.ts'
import { Warning } from '../shared/warnings.ts'
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
import type { FlowRow } from './store.ts'
import { listTemplateWarnings } from './warnings.ts'

const MAX_NAME = 255
const MAX_FILTERS = 100

const NewFlowName = Type.String({
  pattern: FLOW_NAME,
  maxLength: MAX_NAME,
  ...about('Name of the flow', 'backend-ci'),
})
export const FlowNameInput = Naming('flow', NewFlowName)
export const FlowPath = Closed('FlowPath', { org: OrgName, flow_name: FlowName })

const Visibility = OneOf(
  ['public', 'private'],
  about('Visibility of the flow; `private` by default', 'private'),
)
const TemplateNames = Type.Array(Type.String(), {
  maxItems: 1000,
  ...about('Names of expected attestations', ['unit-tests']),
})

export const FlowPut = Closed('FlowPut', {
  name: Described(
    FlowNameInput,
    'Name of the flow, unique among the active flows of the organization',
    'backend-ci',
  ),
  description: Described(FreeText, 'Description of the flow, in free text', 'Builds and tests the backend'),
  visibility: Type.Optional(Visibility),
  template: Type.Optional(TemplateNames),
})

export const FlowTemplatePut = Closed('FlowTemplatePut', {
  name: Described(
    FlowNameInput,
    'Name of the flow, unique among the active flows of the organization',
    'backend-ci',
  ),
  description: Type.Optional(
    Described(FreeText, 'Description of the flow, in free text', 'Builds and tests the backend'),
  ),
  visibility: Type.Optional(Visibility),
  template: Type.Optional(TemplateNames),
})
export type FlowTemplatePut = Static<typeof FlowTemplatePut>

export const FlowRename = Closed('FlowRename', {
  new_name: Described(NewFlowName, 'New name of the flow; the old name keeps working', 'backend-build'),
})

export const FlowListQuery = Closed('FlowListQuery', {
  archived: OnlyArchived,
  page: Page,
  per_page: PerPage,
  search_by_name: Type.Optional(Type.String({ description: 'Only flows whose name contains this text' })),
  case_sensitive: CaseSensitive,
  space_id: SpaceIds,
  tag: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_FILTERS,
      ...about(
        'A key or `key:value`. Only flows with at least one of these tags; an empty value matches nothing',
        ['team:payments'],
      ),
    }),
  ),
  sort: Type.Optional(OneOf(['name', 'latest_activity'], about('Sort key'))),
  sort_direction: SortDirection,
})

export const Flow = Closed('Flow', {
  id: Id,
  org: OrgName,
  name: FlowName,
  description: Type.String(about('Description of the flow', 'Builds and tests the backend')),
  visibility: Visibility,
  template: Type.String(about('YAML of the current template', 'version: 1\n')),
  repo_url: RepoUrl,
  tags: Tags,
  created_by: CreatedBy,
  created_at: CreatedAt,
  last_modified_at: LastModifiedAt,
  last_deployment_at: Nullable(
    Time('Time when an artifact of the flow last started in an environment; null means never'),
  ),
  latest_activity_at: Nullable(Time('Time of the last event in the flow; null means never')),
  latest_state: Nullable(
    OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']),
    about('State of the latest trail of the flow; null if there is none', 'COMPLIANT'),
  ),
  archived: Archived,
  warnings: Type.Array(Warning, about('Probable mistakes in the template', [])),
})
export type Flow = Static<typeof Flow>

export const FlowPage = Closed('FlowPage', {
  data: Type.Array(Flow, about('The items on this page')),
  pagination: Pagination,
})

/** A plain array, or an envelope if the caller requested a page. */
export const FlowList = Type.Unsafe<Flow[] | Static<typeof FlowPage>>({
  anyOf: [Type.Array(Flow), FlowPage],
  title: 'FlowList',
})

export function toWire(row: FlowRow, org: string): Flow {
  return {
    id: toWireId(row.flow_id),
    org,
    name: row.name,
    description: row.description,
    visibility: row.visibility === 'public' ? 'public' : 'private',
    template: row.template,
    repo_url: row.repo_url,
    tags: row.tags,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    last_modified_at: toEpoch(row.last_modified_at),
    last_deployment_at: toEpochOrNull(row.last_deployment_at),
    latest_activity_at: toEpochOrNull(row.latest_activity_at),
    latest_state: row.latest_state as Flow['latest_state'],
    archived: row.archived_at !== null,
    warnings: listTemplateWarnings(row.unknown_types),
  }
}
