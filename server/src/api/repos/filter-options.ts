// GET /repos/{org}/filter-options: the values by which the repositories can be filtered.
import { Type } from 'typebox'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { parseTagFilter } from '../shared/tag-filter.ts'
import { about, Closed } from '../shared/wire.ts'
import { findFilterOptions } from './choices-store.ts'
import { parseNamespace, RepoListQuery } from './wire.ts'

const { provider, vcs_instance, namespace, tag } = RepoListQuery.properties

export const listRepoFilterOptions = defineOperation(
  {
    id: 'listRepoFilterOptions',
    method: 'GET',
    path: '/repos/{org}/filter-options',
    tag: 'Repos',
    summary: 'List the values by which repositories can be filtered',
    description:
      'Each list is narrowed by all parameters but its own, so that other values stay visible. The values of the ' +
      'namespace are the groups directly below `namespace`.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: Closed('RepoFilterQuery', { provider, vcs_instance, namespace, tag }),
    returns: Closed('RepoFilterOptions', {
      providers: Type.Array(Type.String(), about('Git providers', ['github'])),
      vcs_instances: Type.Array(Type.String(), about('Hosts of the repositories', ['git.example.com'])),
      namespace_values: Type.Array(Type.String(), about('Groups below `namespace`', ['acme'])),
    }),
    fails: [400, 403],
    example: { query: { provider: 'github', namespace: 'acme' } },
  },
  ({ query, org }, { db }) =>
    findFilterOptions(db, org.org_id, {
      provider: query.provider ?? null,
      vcs_instance: query.vcs_instance || null,
      namespace: parseNamespace(query.namespace),
      ...parseTagFilter(query.tag ?? []),
    }),
)
