// The statements that read how the outcomes of a control changed: a bounded number of snapshots, and the verdicts in
// force in them.
import type { Db } from '../../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  ints,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
} from '../../../db/statement.ts'
import { computeRootPath } from '../../../domain/snapshot/tree.ts'
import { selectContaining } from '../../snapshots/store.ts'
import { CONTROL_OF_RULE, IS_EXPIRED, IS_FAILING } from './store.ts'

const snapshots = defineStatement(
  'control_history.snapshots',
  { org_id: uuid, environment_id: uuid, control: text, before: nullable(int), limit: int },
  {
    snapshot_index: int,
    created_at: time,
    is_partial: bool,
    is_required: bool,
    cause: text,
    actor: text,
  },
  `select s.snapshot_index, s.created_at, coalesce(s.is_partial, false) as is_partial, s.cause, s.actor, exists (
     select from jsonb_to_recordset(s.applied_policies) as a(policy_id uuid, version int)
     cross join lateral (
       select v.parsed from policy_versions v
       where v.org_id = :org_id and v.policy_id = a.policy_id and v.version = a.version offset 0
     ) v
     where v.parsed @> jsonb_build_object('artifacts', jsonb_build_object('attestations',
       jsonb_build_array(jsonb_build_object('for_control', :control::text))))) as is_required
   from (
     select * from snapshots x
     where x.org_id = :org_id and x.environment_id = :environment_id
       and x.snapshot_index < coalesce(:before::int, 2147483647)
     order by x.snapshot_index desc limit :limit::int
   ) s
   order by s.snapshot_index desc`,
)

export type HistorySnapshotRow = RowOf<typeof snapshots>

/** Newest first. */
export function listHistorySnapshots(
  db: Db,
  org_id: string,
  page: { environment_id: string; control: string; before: number | null; limit: number },
): Promise<HistorySnapshotRow[]> {
  return db.run(snapshots, { org_id, ...page })
}

const contains = (index: 'first' | 'last') =>
  selectContaining('verdicts', 'x.verdict_id', {
    environment_id: ':environment_id',
    index: `:${index}`,
    at_or_before: `:${index}_at_or_before::int[]`,
    after: `:${index}_after::int[]`,
  })

const intervals = defineStatement(
  'control_history.intervals',
  {
    org_id: uuid,
    environment_id: uuid,
    control: text,
    first: int,
    last: int,
    first_at_or_before: ints,
    first_after: ints,
    last_at_or_before: ints,
    last_after: ints,
  },
  { from_index: int, to_index: int, outcome: text, artifacts: count },
  // An interval that overlaps the range contains one of its ends, or is stored at a node inside it.
  `with overlapping as materialized (
     select x.verdict_id from verdicts x
     where x.org_id = :org_id and x.environment_id = :environment_id and x.node between :first and :last
     union
     (${contains('first')})
     union
     (${contains('last')})
   ), outcomes as materialized (
     select greatest(v.from_index, :first::int) as from_index,
       least(coalesce(v.to_index, :last::int + 1), :last::int + 1) as to_index,
       case when found.is_failing then 'failing' when found.is_expired then 'expired' when found.is_met then 'met'
            when found.rules = 0 then 'not-evaluated' else 'not-applicable' end as outcome
     from overlapping o
     cross join lateral (
       select y.from_index, y.to_index, y.evaluation from verdicts y
       where y.org_id = :org_id and y.environment_id = :environment_id and y.verdict_id = o.verdict_id offset 0
     ) v
     cross join lateral (
       select count(*) as rules, bool_or(${IS_FAILING}) as is_failing, bool_or(${IS_EXPIRED}) as is_expired,
         bool_or((rule.value ->> 'satisfied')::boolean) as is_met
       from json_array_elements(
         case json_typeof(v.evaluation -> 'decisions') when 'array' then v.evaluation -> 'decisions' else '[]' end) d
       cross join lateral json_array_elements(d.value -> 'rules') rule
       where ${CONTROL_OF_RULE} = :control
     ) found
   )
   select o.from_index, o.to_index, o.outcome, count(*) as artifacts from outcomes o group by 1, 2, 3`,
)

export type OutcomeIntervalRow = RowOf<typeof intervals>

/** The outcomes of all artifacts in the snapshots from `first` to `last`. */
export function listOutcomeIntervals(
  db: Db,
  org_id: string,
  range: { environment_id: string; control: string; first: number; last: number },
): Promise<OutcomeIntervalRow[]> {
  const first = computeRootPath(range.first)
  const last = computeRootPath(range.last)
  return db.run(intervals, {
    org_id,
    ...range,
    first_at_or_before: first.at_or_before,
    first_after: first.after,
    last_at_or_before: last.at_or_before,
    last_after: last.after,
  })
}
