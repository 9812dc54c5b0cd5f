// The statements that read current verdicts of running artifacts. A logical environment is read through its members.
import type { Db } from '../../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  uuid,
} from '../../../db/statement.ts'
import type { Reason } from '../../../domain/policy/evaluate.ts'
import type { Evaluation } from '../../../evaluation/evaluate-artifacts.ts'

const SOURCES = `(
     select o.environment_id from environments o
     where o.org_id = :org_id and o.environment_id = :environment_id and o.type <> 'logical'
     union all
     select m.member_id from environment_members m where m.org_id = :org_id and m.environment_id = :environment_id
   ) source
   join environments e on e.org_id = :org_id and e.environment_id = source.environment_id`

const sources = defineStatement(
  'compliance.places',
  { org_id: uuid, environment_id: uuid },
  {
    environment_name: text,
    latest_index: int,
    is_partial: bool,
    compliant_count: count,
    non_compliant_count: count,
    unknown_count: count,
    is_pending: bool,
    policies: json<{ name: string; version: number }[]>(),
  },
  `select e.name as environment_name, e.latest_index, e.partial_since is not null as is_partial, counted.compliant_count, counted.non_compliant_count,
     counted.unknown_count,
     exists (select from pending_judgements q where q.org_id = :org_id and q.environment_id = e.environment_id)
       as is_pending,
     (select coalesce(json_agg(json_build_object('name', p.name, 'version', p.latest_version)
               order by x.attached_at, p.policy_id), '[]')
      from environment_policies x join policies p on p.org_id = x.org_id and p.policy_id = x.policy_id
      where x.org_id = :org_id and x.environment_id = e.environment_id) as policies
   from ${SOURCES}
   cross join lateral (
     select count(*) filter (where w.compliant) as compliant_count,
       count(*) filter (where not w.compliant) as non_compliant_count,
       count(*) filter (where w.compliant is null) as unknown_count
     from running_artifacts w where w.org_id = :org_id and w.environment_id = e.environment_id
   ) counted
   order by e.name`,
)

export type Source = RowOf<typeof sources>

/** The environment, or each member of a logical one, with its verdict counts and policies. */
export function listSources(db: Db, org_id: string, environment_id: string): Promise<Source[]> {
  return db.run(sources, { org_id, environment_id })
}

const nonCompliant = defineStatement(
  'compliance.non_compliant',
  { org_id: uuid, environment_id: uuid },
  { environment_name: text, artifact_name: text, fingerprint: text, reasons: json<Reason[]>() },
  `select e.name as environment_name, r.name as artifact_name, r.fingerprint, r.evaluation -> 'reasons' as reasons
   from ${SOURCES}
   cross join lateral (
     select w.name, w.artifact_key, w.fingerprint, w.evaluation from running_artifacts w
     where w.org_id = :org_id and w.environment_id = e.environment_id and not w.compliant
     offset 0
   ) r
   order by e.name, r.name, r.artifact_key`,
)

export type NonCompliantRow = RowOf<typeof nonCompliant>

export function listNonCompliant(db: Db, org_id: string, environment_id: string): Promise<NonCompliantRow[]> {
  return db.run(nonCompliant, { org_id, environment_id })
}

const others = defineStatement(
  'compliance.others',
  { org_id: uuid, environment_id: uuid },
  {
    environment_name: text,
    artifact_name: text,
    fingerprint: text,
    compliant: nullable(bool),
    allow_listed: nullable(json<NonNullable<Evaluation['allow_listed']>>()),
  },
  `select e.name as environment_name, r.name as artifact_name, r.fingerprint, r.compliant,
     r.evaluation -> 'allow_listed' as allow_listed
   from ${SOURCES}
   cross join lateral (
     select w.name, w.artifact_key, w.fingerprint, w.compliant, w.evaluation from running_artifacts w
     where w.org_id = :org_id and w.environment_id = e.environment_id and w.compliant is not false
     offset 0
   ) r
   order by e.name, r.name, r.artifact_key`,
)

export type OtherRow = RowOf<typeof others>

/** Artifacts that are compliant or whose compliance is unknown. */
export function listOthers(db: Db, org_id: string, environment_id: string): Promise<OtherRow[]> {
  return db.run(others, { org_id, environment_id })
}
