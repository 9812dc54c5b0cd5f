// The statements that find out whether controls are met: the environments, their policies' rules for controls, and
// the results of these rules in the stored evaluations of running artifacts.
import type { Db } from '../../../db/database.ts'
import {
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsWholeOrg,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../../db/statement.ts'
import type { Evaluation } from '../../../evaluation/evaluate-artifacts.ts'
import type { Slice } from '../../shared/page.ts'

const COLUMN_FILTER = { environment: nullable(text), tags: nullable(texts) }

const LIVE_ENVIRONMENTS = `
  e.org_id = :org_id and e.archived_at is null and e.type <> 'logical'
  and (:environment::text is null or position(lower(:environment) in lower(e.name)) > 0)
  and (:tags::text[] is null or exists (
    select from jsonb_each_text(e.tags) tag where tag.key = any(:tags) or tag.key || ':' || tag.value = any(:tags)))`
const LIVE_CONTROLS = `
  c.org_id = :org_id and c.archived_at is null
  and (:search::text is null or position(lower(:search) in lower(c.name)) > 0
       or position(lower(:search) in lower(c.identifier)) > 0)`

/** An expired decision waits until its expiry is handled: any evaluation may depend on it. */
const EXPIRY_WAITS = `
  select min(d.expires_at) from expiring_decisions d where d.org_id = :org_id and d.expires_at <= :now::timestamptz`

const environments = defineStatement(
  'control_states.environments',
  { org_id: uuid, now: time, ...COLUMN_FILTER, limit: nullable(int), offset: count },
  {
    environment_id: uuid,
    name: text,
    type: text,
    latest_index: int,
    stale_at: nullable(time),
    partial_since: nullable(time),
    /** When the oldest pending evaluation was requested. */
    waiting_since: nullable(time),
  },
  `select e.environment_id, e.name, e.type, e.latest_index, e.stale_at, e.partial_since, least((
     select min(j.marked_at) from pending_judgements j
     where j.org_id = :org_id and j.environment_id = e.environment_id), (${EXPIRY_WAITS})) as waiting_since
   from environments e where ${LIVE_ENVIRONMENTS}
   order by e.name limit :limit::int offset :offset::bigint`,
)

const controls = defineStatement(
  'control_states.controls',
  { org_id: uuid, search: nullable(text), limit: nullable(int), offset: count },
  { identifier: text, name: text },
  `select c.identifier, c.name from controls c where ${LIVE_CONTROLS}
   order by c.name, c.identifier limit :limit::int offset :offset::bigint`,
)

const totals = defineStatement(
  'control_states.totals',
  { org_id: uuid, ...COLUMN_FILTER, search: nullable(text) },
  { environments: count, controls: count },
  `select (select count(*) from environments e where ${LIVE_ENVIRONMENTS}) as environments,
     (select count(*) from controls c where ${LIVE_CONTROLS}) as controls`,
)

export interface StatesFilter {
  now: Date
  /** Part of the name of an environment. */
  environment: string | null
  /** Each is a key or `key:value` of an environment. */
  tags: string[] | null
  /** Part of the name or of the identifier of a control. */
  search: string | null
}

/** One page of environments and one of controls, with the totals. */
export async function readStatesFrame(
  db: Db,
  org_id: string,
  { now, environment, tags, search }: StatesFilter,
  { columns, rows }: { columns: Slice; rows: Slice },
) {
  const [shown, listed, [counted]] = await Promise.all([
    db.run(environments, { org_id, now, environment, tags, ...columns }),
    db.run(controls, { org_id, search, ...rows }),
    db.run(totals, { org_id, environment, tags, search }),
  ])
  return {
    environments: shown,
    controls: listed,
    environment_total: counted?.environments ?? 0,
    total: counted?.controls ?? 0,
  }
}

/** The rule of an evaluation names its control in the context of each of its resolutions. */
export const CONTROL_OF_RULE = `rule.value #>> '{resolutions,0,context,for_control}'`

const IS_UNSATISFIED = `(rule.value ->> 'satisfied')::boolean is false`
const findResolution = (condition: string) => `${IS_UNSATISFIED} and exists (
         select from json_array_elements(rule.value -> 'resolutions') x where x.value ->> 'type' ${condition})`

/**
 * Whether an evaluation's rule fails for a reason other than an expired decision, and whether it fails for that
 * reason.
 */
export const IS_FAILING = findResolution(
  `not in ('rule_satisfied', 'rule_not_applicable', 'expired_decision')`,
)
export const IS_EXPIRED = findResolution(`= 'expired_decision'`)

/**
 * `rules`: the policies of each environment that have rules for each control. `evaluated`: the result for each
 * policy and control in the evaluation of each running artifact. `outcomes`: the resulting outcome for each artifact
 * and control. An artifact is not evaluated if its evaluation lacks rules of the versions in force.
 */
const OUTCOMES = `
   rules as materialized (
     select a.environment_id, p.policy_id::text as policy_id, p.name as policy, v.version,
       rule.value ->> 'for_control' as control, count(*) as rules
     from environment_policies a
     join policies p on p.org_id = a.org_id and p.policy_id = a.policy_id and p.archived_at is null
     join policy_versions v on v.org_id = p.org_id and v.policy_id = p.policy_id and v.version = p.latest_version
     cross join lateral jsonb_array_elements(v.parsed -> 'artifacts' -> 'attestations') rule
     where a.org_id = :org_id and a.environment_id = any (:environment_ids::uuid[])
       and rule.value ->> 'for_control' = any (:controls::text[])
     group by 1, 2, 3, 4, 5
   ), asked as materialized (
     select r.environment_id, r.artifact_key, r.fingerprint, r.name, r.evaluation from running_artifacts r
     where r.org_id = :org_id and r.environment_id = any (array(select distinct x.environment_id from rules x))
   ), evaluated as materialized (
     select r.environment_id, r.artifact_key, d.value ->> 'policy_id' as policy_id,
       (d.value ->> 'policy_version')::int as version, ${CONTROL_OF_RULE} as control, count(*) as rules,
       bool_or(${IS_FAILING}) as is_failing, bool_or(${IS_EXPIRED}) as is_expired,
       bool_or((rule.value ->> 'satisfied')::boolean) as is_met
     from asked r
     cross join lateral json_array_elements(
       case json_typeof(r.evaluation -> 'decisions') when 'array' then r.evaluation -> 'decisions' else '[]' end) d
     cross join lateral json_array_elements(d.value -> 'rules') rule
     where ${CONTROL_OF_RULE} = any (:controls::text[])
     group by 1, 2, 3, 4, 5
   ), outcomes as materialized (
     select x.environment_id, x.control, r.artifact_key, r.name,
       case when bool_or(f.is_failing) then 'failing'
            when bool_or(f.is_expired) then 'expired'
            when bool_or(f.rules is distinct from x.rules) then 'not-evaluated'
            when bool_or(f.is_met) then 'met' else 'not-applicable' end as outcome
     from rules x
     join asked r on r.environment_id = x.environment_id
     left join evaluated f on f.environment_id = x.environment_id and f.artifact_key = r.artifact_key
       and f.policy_id = x.policy_id and f.version = x.version and f.control = x.control
     group by 1, 2, 3, 4
   )`

const CELL = {
  environment_id: uuid,
  control: text,
  policies: texts,
  failing: count,
  expired: count,
  not_evaluated: count,
  met: count,
  not_applicable: count,
}

const cells = defineStatement(
  'control_states.cells',
  { org_id: uuid, environment_ids: uuids, controls: texts },
  CELL,
  `with ${OUTCOMES}, counted as materialized (
     select o.environment_id, o.control, count(*) filter (where o.outcome = 'failing') as failing,
       count(*) filter (where o.outcome = 'expired') as expired,
       count(*) filter (where o.outcome = 'not-evaluated') as not_evaluated,
       count(*) filter (where o.outcome = 'met') as met,
       count(*) filter (where o.outcome = 'not-applicable') as not_applicable
     from outcomes o group by 1, 2
   )
   select x.environment_id, x.control, x.policies, coalesce(n.failing, 0) as failing,
     coalesce(n.expired, 0) as expired,
     coalesce(n.not_evaluated, 0) as not_evaluated, coalesce(n.met, 0) as met,
     coalesce(n.not_applicable, 0) as not_applicable
   from (
     select y.environment_id, y.control, array_agg(y.policy order by y.policy) as policies from rules y group by 1, 2
   ) x
   left join counted n on n.environment_id = x.environment_id and n.control = x.control`,
  readsWholeOrg('reads everything that runs in the environments of the page that require a control'),
)

export type StateCell = RowOf<typeof cells>

/** One row for each environment and control that a policy there requires. */
export function listStateCells(
  db: Db,
  org_id: string,
  environment_ids: string[],
  identifiers: string[],
): Promise<StateCell[]> {
  return db.run(cells, { org_id, environment_ids, controls: identifiers })
}

const artifacts = defineStatement(
  'control_states.artifacts',
  {
    org_id: uuid,
    environment_ids: uuids,
    controls: texts,
    outcome: nullable(text),
    limit: int,
    offset: count,
  },
  {
    artifact_key: text,
    fingerprint: text,
    name: text,
    outcome: text,
    evaluation: json<Evaluation>(),
  },
  `with ${OUTCOMES}, page as materialized (
     select o.* from outcomes o
     where :outcome::text is null or o.outcome = :outcome
     order by array_position(array['failing', 'expired', 'not-evaluated', 'met', 'not-applicable'], o.outcome), o.name collate "C",
       o.artifact_key
     limit :limit::int offset :offset::bigint
   )
   select r.artifact_key, r.fingerprint, r.name, p.outcome, r.evaluation
   from page p
   join running_artifacts r on r.org_id = :org_id and r.environment_id = p.environment_id
     and r.artifact_key = p.artifact_key
   order by array_position(array['failing', 'expired', 'not-evaluated', 'met', 'not-applicable'], p.outcome), p.name collate "C",
     p.artifact_key`,
  readsWholeOrg('reads everything that runs in the environment'),
)

export type StateArtifact = RowOf<typeof artifacts>

/** The artifacts running in the environment, with their outcomes for the control: failing first, then expired. */
export function listStateArtifacts(
  db: Db,
  org_id: string,
  place: { environment_id: string; identifier: string },
  page: { outcome: string | null; limit: number; offset: number },
): Promise<StateArtifact[]> {
  const { environment_id, identifier } = place
  return db.run(artifacts, { org_id, environment_ids: [environment_id], controls: [identifier], ...page })
}

const waiting = defineStatement(
  'control_states.waiting',
  { org_id: uuid, environment_id: uuid, now: time },
  { waiting_since: nullable(time) },
  `select least((
     select min(j.marked_at) from pending_judgements j
     where j.org_id = :org_id and j.environment_id = :environment_id), (${EXPIRY_WAITS})) as waiting_since`,
)

/** When the oldest pending evaluation was requested; null if none is pending. */
export async function findWaitingSince(
  db: Db,
  org_id: string,
  { environment_id, now }: { environment_id: string; now: Date },
): Promise<Date | null> {
  return (await db.run(waiting, { org_id, environment_id, now }))[0]?.waiting_since ?? null
}
