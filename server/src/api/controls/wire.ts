// Controls as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { CONTROL_IDENTIFIER, CONTROL_IDENTIFIER_MAX } from '../../domain/names.ts'
import {
  Archived,
  CreatedAt,
  CreatedBy,
  LastModifiedAt,
  OrgName,
  PageUrl,
  SortDirection,
} from '../shared/fields.ts'
import { LINKED_PAGE, Page } from '../shared/page.ts'
import { about, Closed, FreeText, Nullable, Tags, toEpoch, WebAddress } from '../shared/wire.ts'
import type { ControlRow } from './store.ts'

const MAX_NAME = 255
const MAX_LINKS = 50
const MAX_LABEL = 100
const MAX_SEARCH = 255
const MAX_TAG_FILTERS = 100
const MAX_PER_PAGE = 100

export const ControlsPath = Closed('ControlsPath', { org: OrgName })
export const ControlPath = Closed('ControlPath', {
  org: OrgName,
  identifier: Type.String(about('Identifier of the control', 'SDLC-7')),
})

const ControlIdentifier = Type.String({
  pattern: CONTROL_IDENTIFIER,
  maxLength: CONTROL_IDENTIFIER_MAX,
  ...about('Policies and decisions refer to the control by its identifier, which never changes', 'SDLC-7'),
})
const ControlName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  ...about('Name of the control', 'Changes are reviewed'),
})
const ControlDescription = Type.Unsafe<string | null>({
  ...Nullable(FreeText),
  ...about(
    'Description of the requirement; null or an empty string means none',
    'Every change is seen by a second pair of eyes',
  ),
})
export const ControlLinks = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'ControlLinks',
  ...about('Labels and URLs, such as the text of the requirement', {
    standard: 'https://standards.example.com/7',
  }),
  propertyNames: { type: 'string', minLength: 1, maxLength: MAX_LABEL },
  additionalProperties: WebAddress,
  maxProperties: MAX_LINKS,
})

export const ControlPostInput = Closed('ControlPostInput', {
  identifier: ControlIdentifier,
  name: ControlName,
  description: Type.Optional(ControlDescription),
  links: Type.Optional(ControlLinks),
})

export const ControlPutInput = Closed('ControlPutInput', {
  name: Type.Optional(ControlName),
  description: Type.Optional(ControlDescription),
  links: Type.Optional(ControlLinks),
})

export const PerControlPage = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_PER_PAGE,
    ...about('Maximum number of items per page; defaults to 15', 15),
  }),
)
export const Search = (description: string) =>
  Type.Optional(Type.String({ maxLength: MAX_SEARCH, ...about(description, 'backend') }))

export const ControlListQuery = Closed('ControlListQuery', {
  page: Page,
  per_page: PerControlPage,
  search: Search('Only controls whose name or identifier contains this text (case-insensitive)'),
  tag: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_TAG_FILTERS,
      ...about('Only controls with this tag: `key` or `key:value`; may be repeated, and all must match', [
        'team:payments',
      ]),
    }),
  ),
  archived: Type.Optional(Type.Boolean(about('List archived controls instead of active ones', false))),
  sort_direction: SortDirection,
})

export const Control = Closed('Control', {
  identifier: Type.String(about('Identifier of the control, used by policies and decisions', 'SDLC-7')),
  name: Type.String(about('Name of the control', 'Changes are reviewed')),
  description: Nullable(
    Type.String(),
    about('Description of the requirement', 'Every change is seen by a second pair of eyes'),
  ),
  links: ControlLinks,
  tags: Tags,
  version: Type.Integer(
    about('Version number, starting at 1; every change except tagging makes a new version', 3),
  ),
  archived: Archived,
  created_by: CreatedBy,
  created_at: CreatedAt,
  last_modified_at: LastModifiedAt,
  policies_referencing: Type.Array(
    Type.String(),
    about('Names of the active policies whose latest version requires a decision on it', [
      'production-rules',
    ]),
  ),
  html_url: PageUrl,
})
export type Control = Static<typeof Control>

export const ControlPage = Closed('ControlPage', {
  controls: Type.Array(Control, about('The controls on this page')),
  ...LINKED_PAGE,
})

/** The data for links in a response. */
export interface Site {
  base_url: string
  org: string
}

export function toWire(row: ControlRow, { base_url, org }: Site): Control {
  const page = [org, 'controls', row.identifier].map(encodeURIComponent).join('/')
  return {
    identifier: row.identifier,
    name: row.name,
    description: row.description,
    links: row.links,
    tags: row.tags,
    version: row.version,
    archived: row.archived_at !== null,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    last_modified_at: toEpoch(row.last_modified_at),
    policies_referencing: row.policies_referencing,
    html_url: `${base_url}/${page}`,
  }
}
