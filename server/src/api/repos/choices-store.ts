// The statements that read which values the repositories of an organization have, for filters.
import type { Database } from '../../db/database.ts'
import { defineStatement, json, nullable, readsWholeOrg, text, texts, uuid } from '../../db/statement.ts'
import type { Tags } from '../../domain/tags.ts'
import { HAS_TAGS, NAMESPACE, type RepoFilter, VCS_INSTANCE } from './store.ts'

const options = defineStatement(
  'repos.filter_options',
  {
    org_id: uuid,
    provider: nullable(text),
    vcs_instance: nullable(text),
    namespace: texts,
    tag_keys: texts,
    tag_pairs: json<readonly Tags[]>(),
  },
  { providers: texts, vcs_instances: texts, namespace_values: texts },
  `with tagged as materialized (
     select r.provider, ${VCS_INSTANCE} as vcs_instance, ${NAMESPACE} as namespace
     from repos r where r.org_id = :org_id and ${HAS_TAGS}
   ), inside as (
     select t.*, :provider::text is null or t.provider = :provider as is_provider,
       :vcs_instance::text is null or t.vcs_instance = lower(:vcs_instance) as is_instance
     from tagged t where t.namespace[1:cardinality(:namespace::text[])] = :namespace::text[]
   )
   select
     array(select distinct i.provider from inside i where i.is_instance and i.provider <> '' order by 1) as providers,
     array(select distinct i.vcs_instance from inside i where i.is_provider and i.vcs_instance <> '' order by 1)
       as vcs_instances,
     array(select distinct i.namespace[cardinality(:namespace::text[]) + 1] from inside i
           where i.is_provider and i.is_instance and cardinality(i.namespace) > cardinality(:namespace::text[])
           order by 1) as namespace_values`,
  readsWholeOrg('the values of all repositories'),
)

export async function findFilterOptions(
  db: Database,
  org_id: string,
  filter: Omit<RepoFilter, 'name' | 'search' | 'external_id'>,
) {
  const [found] = await db.read({ org_id }, options, { org_id, ...filter })
  return found ?? { providers: [], vcs_instances: [], namespace_values: [] }
}
