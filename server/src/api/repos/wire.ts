// API schemas of repositories.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { CreatedAt, LastModifiedAt, OrgName, RepositoryId, RepoUrl, SortDirection } from '../shared/fields.ts'
import { LINKED_PAGE, Page, PerLinkedPage } from '../shared/page.ts'
import {
  about,
  Closed,
  Described,
  Nullable,
  OneOf,
  REPO_PROVIDERS,
  Tags,
  Time,
  toEpoch,
} from '../shared/wire.ts'
import type { RepoActivity } from './activity-store.ts'
import type { RepoRow } from './store.ts'

const MAX_TAG_FILTERS = 100

const Provider = OneOf([...REPO_PROVIDERS])

export const RepoPath = Closed('RepoPath', {
  org: OrgName,
  repo_name: Type.String(about('Full name of the repository, with its slashes unencoded', 'acme/backend')),
})

export const RepoQuery = Closed('RepoQuery', {
  provider: Type.Optional(
    Described(Provider, 'Git provider, if several repositories have this name', 'github'),
  ),
  id: Type.Optional(
    Type.String(
      about('Id of the repository in Waybill; if set, the name in the path is ignored', EXAMPLE_ID),
    ),
  ),
})

export const RepoListQuery = Closed('RepoListQuery', {
  page: Page,
  per_page: PerLinkedPage,
  name: Type.Optional(Type.String(about('Exact full name of the repository', 'backend'))),
  search: Type.Optional(
    Type.String(about('Only repositories whose name contains this text (case-insensitive)', 'backend')),
  ),
  provider: Type.Optional(Described(Provider, 'Only repositories of this provider', 'github')),
  repo_id: Type.Optional(Type.String(about('The id assigned by the git host', '311'))),
  vcs_instance: Type.Optional(Type.String(about('Only repositories on this host', 'git.example.com'))),
  namespace: Type.Optional(
    Type.String(about('Only repositories below these groups, separated by slashes', 'platform/backend')),
  ),
  tag: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_TAG_FILTERS,
      ...about('Only repositories with all these tags: a key or `key:value`', ['team:payments']),
    }),
  ),
  sort_direction: SortDirection,
})

/** Slashes at the ends mean nothing. */
export const parseNamespace = (namespace = ''): string[] => namespace.split('/').filter(group => group !== '')

export const Repo = Closed('Repo', {
  id: RepositoryId,
  repo_id: Type.String(about('The id assigned by the git host', '311')),
  name: Type.String(about('Full name of the repository, with its owner', 'acme/backend')),
  url: RepoUrl,
  provider: Type.String(about('Git provider; empty if unknown', 'github')),
  vcs_instance: Type.String(about('Host in its URL; empty if it has none', 'git.example.com')),
  description: Type.String(about('Description of the repository at the git provider', 'The backend')),
  namespace_path: Type.Array(
    Type.String(),
    about('Groups that contain the repository, outermost first', ['acme']),
  ),
  additional_info: Type.Record(
    Type.String(),
    Type.Unknown(),
    about('Further facts about the repository', { default_branch: 'main' }),
  ),
  tags: Tags,
  created_at: CreatedAt,
  last_modified_at: LastModifiedAt,
})

const Count = (state: string) =>
  Type.Integer({ minimum: 0, ...about(`Number of running artifacts that are ${state}`, 2) })

export const ListedRepo = Closed('ListedRepo', {
  ...Repo.properties,
  latest_trail: Nullable(
    Closed('LatestTrailOfRepo', {
      flow_name: Type.String(about('Name of the flow', 'backend')),
      trail_name: Type.String(about('Name of the trail', 'release-1')),
      state: OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'], {
        description: 'State of the trail by the template of its flow',
      }),
      last_modified_at: Time('Last change of the trail'),
    }),
    about('The newest trail that names the repository; null if there is none'),
  ),
  running: Closed(
    'RunningOfRepo',
    {
      environments: Type.Integer({
        minimum: 0,
        ...about('Number of environments in which artifacts of the repository run', 2),
      }),
      compliant: Count('compliant by policies'),
      non_compliant: Count('non-compliant by policies'),
      unknown: Count('not evaluated by any policy'),
      stale: Count('in a stale environment, and not known to be non-compliant'),
    },
    about('What runs of the repository'),
  ),
})

export const RepoPage = Closed('RepoPage', {
  repos: Type.Array(ListedRepo, about('The repositories on this page')),
  ...LINKED_PAGE,
})

export function toWire(row: RepoRow): Static<typeof Repo> {
  return {
    id: toWireId(row.repo_id),
    repo_id: row.external_id,
    name: row.name,
    url: row.url,
    provider: row.provider,
    vcs_instance: row.vcs_instance,
    description: row.description,
    namespace_path: row.namespace_path,
    additional_info: row.additional_info,
    tags: row.tags,
    created_at: toEpoch(row.created_at),
    last_modified_at: toEpoch(row.last_modified_at),
  }
}

export function toWireListed(row: RepoRow, activity: RepoActivity | undefined): Static<typeof ListedRepo> {
  const { trail, running } = activity ?? {}
  return {
    ...toWire(row),
    latest_trail: trail
      ? {
          flow_name: trail.flow_name,
          trail_name: trail.trail_name,
          state: trail.compliance_state as 'COMPLIANT',
          last_modified_at: toEpoch(trail.last_modified_at),
        }
      : null,
    running: {
      environments: running?.environments ?? 0,
      compliant: running?.compliant ?? 0,
      non_compliant: running?.non_compliant ?? 0,
      unknown: running?.unknown ?? 0,
      stale: running?.stale ?? 0,
    },
  }
}
