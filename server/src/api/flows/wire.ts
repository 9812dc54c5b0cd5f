// API schemas of flows.
import { type Static, Type } from 'typebox'
import { FLOW_NAME } from '../../domain/names.ts'
import { toWireId } from '../../lib/ids.ts'
import { OnlyArchived } from '../shared/archived.ts'
import { Page, Pagination, PerPage } from '../shared/page.ts'
import { Warning } from '../shared/warnings.ts'
import {
  Closed,
  EpochSeconds,
  FreeText,
  Nullable,
  OneOf,
  Tags,
  toEpoch,
  toEpochOrNull,
} from '../shared/wire.ts'
import type { FlowRow } from './store.ts'
import { listTemplateWarnings } from './warnings.ts'

const MAX_NAME = 255
const MAX_FILTERS = 100

export const FlowName = Type.String({ pattern: FLOW_NAME, maxLength: MAX_NAME })
export const OrgPath = Closed('OrgPath', { org: Type.String() })
export const FlowPath = Closed('FlowPath', { org: Type.String(), flow_name: Type.String() })

const Visibility = OneOf(['public', 'private'], { description: 'New flows are private by default' })
const TemplateNames = Type.Array(Type.String(), {
  maxItems: 1000,
  description: 'Names of expected attestations',
})

export const FlowPut = Closed('FlowPut', {
  name: FlowName,
  description: FreeText,
  visibility: Type.Optional(Visibility),
  template: Type.Optional(TemplateNames),
})

export const FlowTemplatePut = Closed('FlowTemplatePut', {
  name: FlowName,
  description: Type.Optional(FreeText),
  visibility: Type.Optional(Visibility),
  template: Type.Optional(TemplateNames),
})
export type FlowTemplatePut = Static<typeof FlowTemplatePut>

export const FlowRename = Closed('FlowRename', { new_name: FlowName })

export const FlowListQuery = Closed('FlowListQuery', {
  archived: OnlyArchived,
  page: Page,
  per_page: PerPage,
  search_by_name: Type.Optional(Type.String({ description: 'Part of the name' })),
  case_sensitive: Type.Optional(Type.Boolean()),
  space_id: Type.Optional(
    Type.Array(Type.String(), { description: 'Spaces are not supported, so any value matches nothing' }),
  ),
  tag: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_FILTERS,
      description:
        'A key or `key:value`. Only flows with at least one of these tags; an empty value matches nothing',
    }),
  ),
  sort: Type.Optional(OneOf(['name', 'latest_activity'])),
  sort_direction: Type.Optional(OneOf(['asc', 'desc'])),
})

export const Flow = Closed('Flow', {
  id: Type.String(),
  org: Type.String(),
  name: Type.String(),
  description: Type.String(),
  visibility: Visibility,
  template: Type.String({ description: 'Template YAML' }),
  repo_url: Type.String(),
  tags: Tags,
  created_by: Type.String(),
  created_at: EpochSeconds,
  last_modified_at: EpochSeconds,
  last_deployment_at: Nullable(EpochSeconds),
  latest_activity_at: Nullable(EpochSeconds),
  latest_state: Nullable(OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'])),
  archived: Type.Boolean(),
  warnings: Type.Array(Warning, { description: 'Probable mistakes in the template' }),
})
export type Flow = Static<typeof Flow>

export const FlowPage = Closed('FlowPage', { data: Type.Array(Flow), pagination: Pagination })

/** A plain array, or an envelope if the caller asked for a page. */
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
