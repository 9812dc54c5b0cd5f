// The statements that read a page of snapshot artifacts. Selecting the page reads only the short columns of all
// running artifacts; the long ones (instances, flows, decisions, reasons) are read for the artifacts on the page.
import type { Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  uuid,
} from '../../db/statement.ts'
import type { InstancesDetail } from '../../domain/snapshot/reported.ts'
import { computeRootPath, type RootPath } from '../../domain/snapshot/tree.ts'
import type { Replaced } from '../../evaluation/deployments.ts'
import type { Evaluation } from '../../evaluation/evaluate-artifacts.ts'
import { selectContaining } from './store.ts'

/** A snapshot of a physical environment. */
interface SnapshotRef {
  environment_id: string
  snapshot_index: number
  is_new: boolean
}

type NumberedPlace = SnapshotRef & RootPath & { place: number }

const PLACES = `jsonb_to_recordset(:places::jsonb) as p(
       place int, environment_id uuid, snapshot_index int, is_new boolean, at_or_before int[], after int[])`
const AT_PLACE = {
  environment_id: 'p.environment_id',
  index: 'p.snapshot_index',
  at_or_before: 'p.at_or_before',
  after: 'p.after',
}

interface Chosen {
  /** Index into the list of places. */
  place: number
  artifact_key: string
  run_id: string
  /** Null if no verdict was stored. */
  verdict_id: string | null
}

const choose = defineStatement(
  'snapshots.choose_artifacts',
  {
    org_id: uuid,
    places: json<NumberedPlace[]>(),
    name: nullable(text),
    compliance: nullable(text),
    limit: int,
    offset: count,
  },
  {
    total: count,
    chosen: json<Chosen[]>(),
    /** The artifacts that the chosen ones replaced and that still run in the same place. */
    still_running: json<{ place: number; fingerprint: string }[]>(),
  },
  // Grouping combines runs and verdicts in linear time; a join would compare each with each.
  `with found as materialized (
     select place, artifact_key, max(name) as name, max(fingerprint) as fingerprint,
       (array_agg(run_id) filter (where run_id is not null))[1] as run_id,
       (array_agg(verdict_id) filter (where verdict_id is not null))[1] as verdict_id,
       case bool_or(compliant) when true then 'compliant' when false then 'non-compliant' else 'unknown' end as compliance
     from (
       select p.place, x.artifact_key, x.name, x.fingerprint, x.run_id, null::uuid as verdict_id,
         null::boolean as compliant
       from ${PLACES} cross join lateral (
         ${selectContaining('runs', 'x.artifact_key, x.name, x.fingerprint, x.run_id', AT_PLACE)}
       ) x
       union all
       select p.place, x.artifact_key, null, null, null, x.verdict_id, x.compliant
       from ${PLACES} cross join lateral (
         ${selectContaining('verdicts', 'x.artifact_key, x.verdict_id, x.compliant', AT_PLACE)}
       ) x
     ) combined
     group by place, artifact_key
     having count(run_id) > 0
   ), matching as materialized (
     select * from found
     where (:compliance::text is null or compliance = :compliance)
       and (:name::text is null or position(lower(:name) in lower(name)) > 0
         or starts_with(fingerprint, lower(:name)))
   ), page as materialized (
     select *, row_number() over () as no from (
       select * from matching
       order by case compliance when 'non-compliant' then 0 when 'unknown' then 1 else 2 end,
         name collate "C", fingerprint collate "C", place
       limit :limit::int offset :offset::bigint
     ) ordered
   )
   select (select count(*) from matching) as total,
     (select coalesce(json_agg(json_build_object('place', place, 'artifact_key', artifact_key, 'run_id', run_id,
        'verdict_id', verdict_id) order by no), '[]') from page) as chosen,
     (select coalesce(json_agg(json_build_object('place', f.place, 'fingerprint', f.fingerprint)), '[]')
      from found f
      where (f.place, f.fingerprint) in (
        select page.place, earlier.value ->> 'previous_fingerprint'
        from page cross join ${PLACES}
        join runs r on r.org_id = :org_id and r.environment_id = p.environment_id and r.run_id = page.run_id
        cross join lateral json_array_elements(
          case json_typeof(r.replaced) when 'array' then r.replaced else '[]' end) earlier
        where p.place = page.place)) as still_running`,
)

export type ArtifactFilter = Omit<ParamsOf<typeof choose>, 'org_id' | 'places'>
export type ChosenPage = RowOf<typeof choose>

/** Selects the artifacts of a page from all that run in the places. */
export async function chooseArtifacts(
  db: Db,
  org_id: string,
  places: readonly SnapshotRef[],
  filter: ArtifactFilter,
): Promise<ChosenPage> {
  const [found] = await db.run(choose, { org_id, places: numberPlaces(places), ...filter })
  return found ?? { total: 0, chosen: [], still_running: [] }
}

function numberPlaces(places: readonly SnapshotRef[]): NumberedPlace[] {
  return places.map(({ environment_id, snapshot_index, is_new }, place) => ({
    place,
    environment_id,
    snapshot_index,
    is_new,
    ...computeRootPath(snapshot_index),
  }))
}

const details = defineStatement(
  'snapshots.chosen_artifacts',
  { org_id: uuid, chosen: json<(SnapshotRef & Chosen)[]>() },
  {
    place: int,
    artifact_key: text,
    fingerprint: text,
    name: text,
    instance_count: int,
    instances: json<InstancesDetail>(),
    replaced: json<Replaced[]>(),
    is_evaluated: bool,
    compliant: nullable(bool),
    evaluation: nullable(json<Evaluation>()),
    change: nullable(json<{ type: string; was: number; now: number }>()),
  },
  `select c.place, r.artifact_key, r.fingerprint, r.name, r.instance_count, r.instances, r.replaced,
     v.verdict_id is not null as is_evaluated, v.compliant, v.evaluation,
     case when e.type is not null then json_build_object('type', e.type, 'was', e.was, 'now', e.now) end as change
   from rows from (jsonb_to_recordset(:chosen::jsonb) as (
     place int, environment_id uuid, snapshot_index int, is_new boolean, artifact_key text, run_id uuid,
     verdict_id uuid)) with ordinality as c
   join runs r on r.org_id = :org_id and r.environment_id = c.environment_id and r.run_id = c.run_id
   left join verdicts v on v.org_id = :org_id and v.environment_id = c.environment_id and v.verdict_id = c.verdict_id
   left join environment_events e on e.org_id = :org_id and e.environment_id = c.environment_id
     and e.snapshot_index = c.snapshot_index and e.artifact_key = c.artifact_key and c.is_new
   order by c.ordinality`,
)

export type ChosenArtifact = RowOf<typeof details>

/** All details of the artifacts of a page, in page order. */
export async function listChosenArtifacts(
  db: Db,
  org_id: string,
  places: readonly SnapshotRef[],
  chosen: readonly Chosen[],
): Promise<ChosenArtifact[]> {
  if (chosen.length === 0) return []
  const located = chosen.flatMap(one => {
    const snapshot = places[one.place]
    return snapshot ? [{ ...snapshot, ...one }] : []
  })
  return db.run(details, { org_id, chosen: located })
}

const exited = defineStatement(
  'snapshots.exited_artifacts',
  { org_id: uuid, places: json<NumberedPlace[]>(), limit: int },
  {
    total: count,
    place: int,
    fingerprint: text,
    name: text,
    flow_name: nullable(text),
    was: int,
  },
  `select x.total, x.place, x.fingerprint, x.name,
     (select v.evaluation #>> '{flows,0,flow_name}' from verdicts v
      where v.org_id = :org_id and v.environment_id = x.environment_id and v.artifact_key = x.artifact_key
        and v.to_index = x.snapshot_index limit 1) as flow_name,
     coalesce((
       select e.was from environment_events e
       where e.org_id = :org_id and e.environment_id = x.environment_id and e.snapshot_index = x.snapshot_index
         and e.artifact_key = x.artifact_key), x.instance_count) as was
   from (
     select count(*) over () as total, p.place, p.environment_id, p.snapshot_index, r.artifact_key, r.fingerprint, r.name,
       r.instance_count
     from ${PLACES}
     join runs r on r.org_id = :org_id and r.environment_id = p.environment_id and r.to_index = p.snapshot_index
       and r.is_exit
     where p.is_new
     order by r.name collate "C", r.artifact_key, p.place
     limit :limit::int
   ) x
   order by x.name collate "C", x.artifact_key, x.place`,
)

export type ExitedArtifactRow = RowOf<typeof exited>

/** The first exited artifacts, by name; each row contains the total. */
export function listExitedArtifacts(
  db: Db,
  org_id: string,
  places: readonly SnapshotRef[],
  limit: number,
): Promise<ExitedArtifactRow[]> {
  return db.run(exited, { org_id, places: numberPlaces(places), limit })
}
