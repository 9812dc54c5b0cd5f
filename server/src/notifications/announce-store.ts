// The statements that find the subscribers of a change and the details to report. Without subscribers only the first
// one runs.
import { computeFirst } from '../db/compute-first.ts'
import type { Db } from '../db/database.ts'
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
  uuids,
} from '../db/statement.ts'
import { MAX_REASONS } from '../domain/notification/notice.ts'
import type { Reason } from '../domain/policy/decision.ts'

const subscribers = defineStatement(
  'notify.subscribers',
  { org_id: uuid, environment_ids: uuids, with_logical: bool },
  {
    org: text,
    environment_id: uuid,
    environment: text,
    latest_index: int,
    state: nullable(bool),
    notification_id: uuid,
    number: int,
    name: text,
    triggers: json<string[]>(),
    target_id: uuid,
    type: text,
  },
  `select o.name as org, e.environment_id, e.name as environment, e.latest_index, e.state, n.notification_id, n.number,
     n.name, to_json(n.triggers) as triggers, t.target_id, t.type
   from notification_environments x
   join notifications n on n.org_id = x.org_id and n.notification_id = x.notification_id and n.deleted_at is null
   join notification_targets t on t.org_id = n.org_id and t.notification_id = n.notification_id
     and t.removed_at is null and t.switched_off_at is null
   join environments e on e.org_id = x.org_id and e.environment_id = x.environment_id
   join orgs o on o.org_id = x.org_id
   where x.org_id = :org_id and x.environment_id = any (${computeFirst(`:environment_ids::uuid[] || array(
     select m.environment_id from environment_members m
     where :with_logical::boolean and m.org_id = :org_id and m.member_id = any (:environment_ids::uuid[]))`)}::uuid[])
   order by n.number, t.position`,
)

export type Subscriber = RowOf<typeof subscribers>

/**
 * The targets of every notification for these environments, optionally with those for the logical environments that
 * include them.
 */
export function listSubscribers(
  db: Db,
  org_id: string,
  environment_ids: readonly string[],
  { with_logical }: { with_logical: boolean },
): Promise<Subscriber[]> {
  return db.run(subscribers, { org_id, environment_ids: [...environment_ids], with_logical })
}

/** The first flow that reported an artifact, as stored in its evaluation. */
interface FlowSummary {
  flow_name: string
  trail_name: string | null
  artifact_state: 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE'
  git_commit: string | null
  commit_url: string | null
}

const ARTIFACT_ROW = {
  name: text,
  fingerprint: text,
  change: text,
  compliant: nullable(bool),
  was: nullable(int),
  now: nullable(int),
  flow: nullable(json<FlowSummary>()),
  build_url: nullable(text),
  reasons: nullable(json<Reason[]>()),
}

/** The first reasons of an evaluation `j`, and its first flow with the build URL. */
const NOTICE_COLUMNS = `j.evaluation #> '{flows,0}' as flow,
     (select a.report ->> 'build_url' from artifacts a
      where a.org_id = :org_id
        and a.artifact_id = ${computeFirst("(j.evaluation #>> '{flows,0,artifact_id}')::uuid")}) as build_url,
     (select json_agg(r.value) from json_array_elements(j.evaluation -> 'reasons') with ordinality r(value, place)
      where r.place <= ${MAX_REASONS}) as reasons`

const changes = defineStatement(
  'notify.changes',
  { org_id: uuid, environment_id: uuid, snapshot_index: int },
  ARTIFACT_ROW,
  `select e.artifact_name as name, e.fingerprint, e.type as change, e.artifact_compliance as compliant, e.was, e.now,
     ${NOTICE_COLUMNS}
   from environment_events e
   left join lateral (
     select r.evaluation from running_artifacts r
     where r.org_id = e.org_id and r.environment_id = e.environment_id and r.artifact_key = e.artifact_key
       and e.type <> 'exited'
     union all
     select v.evaluation from verdicts v
     where v.org_id = e.org_id and v.environment_id = e.environment_id and v.artifact_key = e.artifact_key
       and v.to_index = e.snapshot_index and e.type = 'exited'
     offset 0
   ) j on true
   where e.org_id = :org_id and e.environment_id = :environment_id and e.snapshot_index = :snapshot_index
   order by e.artifact_key`,
)

export type ArtifactRow = RowOf<typeof changes>

/** The changed artifacts of a snapshot, with their provenance and the reasons why they are not compliant. */
export function listChanges(
  db: Db,
  org_id: string,
  snapshot: { environment_id: string; snapshot_index: number },
): Promise<ArtifactRow[]> {
  return db.run(changes, { org_id, ...snapshot })
}

const nonCompliant = defineStatement(
  'notify.non_compliant',
  { org_id: uuid, environment_ids: uuids, max: int },
  { environment_id: uuid, ...ARTIFACT_ROW, total: count },
  `select wanted.environment_id, j.name, j.fingerprint, 'running' as change, j.compliant, null::int as was,
     null::int as now, ${NOTICE_COLUMNS}, j.total
   from unnest(:environment_ids::uuid[]) with ordinality as wanted (environment_id, nth)
   cross join lateral (
     select r.name, r.fingerprint, r.compliant, r.evaluation, count(*) over () as total,
       row_number() over (order by r.compliant nulls last, r.environment_id, r.artifact_key) as place
     from running_artifacts r
     where r.org_id = :org_id and r.compliant is distinct from true and r.environment_id = any (
       ${computeFirst(`array[wanted.environment_id] || array(select m.member_id from environment_members m
         where m.org_id = :org_id and m.environment_id = wanted.environment_id)`)}::uuid[])
     order by place
     limit :max::int
   ) j
   order by wanted.nth, j.place`,
)

/** For each environment the artifacts that make it, or a member of a logical one, non-compliant. */
export function listNonCompliant(db: Db, org_id: string, environment_ids: readonly string[], max: number) {
  return db.run(nonCompliant, { org_id, environment_ids: [...environment_ids], max })
}

const provenance = defineStatement(
  'notify.provenance',
  { org_id: uuid, fingerprint: text },
  { flow: json<FlowSummary>(), build_url: nullable(text) },
  `select json_build_object('flow_name', f.name, 'trail_name', t.name, 'artifact_state', a.state, 'git_commit',
       a.git_commit, 'commit_url', a.report ->> 'commit_url') as flow,
     a.report ->> 'build_url' as build_url
   from artifacts a
   join flows f on f.org_id = a.org_id and f.flow_id = a.flow_id
   left join trails t on t.org_id = a.org_id and t.trail_id = a.trail_id
   where a.org_id = :org_id and a.fingerprint = :fingerprint
   order by a.artifact_id
   limit 1`,
)

/** The first flow that an artifact was reported to. */
export async function findProvenance(db: Db, org_id: string, fingerprint: string) {
  return (await db.run(provenance, { org_id, fingerprint }))[0]
}
