// API schemas of repositories.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { LINKED_PAGE, Page, PerLinkedPage } from '../shared/page.ts'
import { Closed, EpochSeconds, OneOf, REPO_PROVIDERS, Tags, toEpoch } from '../shared/wire.ts'
import type { RepoRow } from './store.ts'

const MAX_TAG_FILTERS = 100

const Provider = OneOf([...REPO_PROVIDERS])

export const RepoPath = Closed('RepoPath', {
  org: Type.String(),
  repo_name: Type.String({ description: 'The full name, with its slashes unencoded' }),
})

export const RepoQuery = Closed('RepoQuery', {
  provider: Type.Optional(Provider),
  id: Type.Optional(
    Type.String({ description: 'The id in Waybill; if set, the name in the path is ignored' }),
  ),
})

export const RepoListQuery = Closed('RepoListQuery', {
  page: Page,
  per_page: PerLinkedPage,
  name: Type.Optional(Type.String({ description: 'The exact full name' })),
  search: Type.Optional(
    Type.String({ description: 'Only repositories whose name contains this text (case-insensitive)' }),
  ),
  provider: Type.Optional(Provider),
  repo_id: Type.Optional(Type.String({ description: 'The id assigned by the git host' })),
  tag: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_TAG_FILTERS,
      description: 'A key, or `key:value`; a repository must have all of them',
    }),
  ),
  sort_direction: Type.Optional(OneOf(['asc', 'desc'])),
})

export const Repo = Closed('Repo', {
  id: Type.String(),
  repo_id: Type.String({ description: 'The id assigned by the git host' }),
  name: Type.String(),
  url: Type.String(),
  provider: Type.String({ description: 'Empty if unknown' }),
  description: Type.String(),
  namespace_path: Type.Array(Type.String()),
  additional_info: Type.Record(Type.String(), Type.Unknown()),
  tags: Tags,
  created_at: EpochSeconds,
  last_modified_at: EpochSeconds,
})

export const RepoPage = Closed('RepoPage', { repos: Type.Array(Repo), ...LINKED_PAGE })

export function toWire(row: RepoRow): Static<typeof Repo> {
  return {
    id: toWireId(row.repo_id),
    repo_id: row.external_id,
    name: row.name,
    url: row.url,
    provider: row.provider,
    description: row.description,
    namespace_path: row.namespace_path,
    additional_info: row.additional_info,
    tags: row.tags,
    created_at: toEpoch(row.created_at),
    last_modified_at: toEpoch(row.last_modified_at),
  }
}
