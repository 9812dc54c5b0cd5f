// Controls as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { CONTROL_IDENTIFIER, CONTROL_IDENTIFIER_MAX } from '../../domain/names.ts'
import { LINKED_PAGE, Page } from '../shared/page.ts'
import { Closed, EpochSeconds, FreeText, Nullable, OneOf, Tags, toEpoch, WebAddress } from '../shared/wire.ts'
import type { ControlRow } from './store.ts'

const MAX_NAME = 255
const MAX_LINKS = 50
const MAX_LABEL = 100
const MAX_SEARCH = 255
const MAX_TAG_FILTERS = 100
const MAX_PER_PAGE = 100

export const ControlsPath = Closed('ControlsPath', { org: Type.String() })
export const ControlPath = Closed('ControlPath', { org: Type.String(), identifier: Type.String() })

export const ControlIdentifier = Type.String({
  pattern: CONTROL_IDENTIFIER,
  maxLength: CONTROL_IDENTIFIER_MAX,
  description: 'Policies and decisions refer to the control by its identifier, which never changes',
})
export const ControlName = Type.String({ minLength: 1, maxLength: MAX_NAME })
export const ControlDescription = Type.Unsafe<string | null>({
  ...Nullable(FreeText),
  description: 'Null or an empty string means no description',
})
export const ControlLinks = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'ControlLinks',
  description: 'Labels and URLs, such as the text of the requirement',
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
  Type.Integer({ minimum: 1, maximum: MAX_PER_PAGE, description: 'Defaults to 15' }),
)
export const SortDirection = Type.Optional(OneOf(['asc', 'desc']))
export const Search = (description: string) =>
  Type.Optional(Type.String({ maxLength: MAX_SEARCH, description }))

export const ControlListQuery = Closed('ControlListQuery', {
  page: Page,
  per_page: PerControlPage,
  search: Search('Part of the name or of the identifier, in upper or lower case'),
  tag: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_TAG_FILTERS,
      description: '`key` or `key:value`; may be repeated, and all must match',
    }),
  ),
  archived: Type.Optional(Type.Boolean({ description: 'List archived controls instead of active ones' })),
  sort_direction: SortDirection,
})

export const Control = Closed('Control', {
  identifier: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  links: ControlLinks,
  tags: Tags,
  version: Type.Integer({ description: 'Numbered from 1; every change except tagging makes a new version' }),
  archived: Type.Boolean(),
  created_by: Type.String(),
  created_at: EpochSeconds,
  last_modified_at: EpochSeconds,
  policies_referencing: Type.Array(Type.String(), {
    description: 'Names of the active policies whose latest version requires a decision on it',
  }),
  html_url: Type.String(),
})
export type Control = Static<typeof Control>

export const ControlPage = Closed('ControlPage', { controls: Type.Array(Control), ...LINKED_PAGE })

/** What links in a response need. */
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
