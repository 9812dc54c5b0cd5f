// The statements about currently running artifacts (running_artifacts): their reported state, their evaluation, and
// changes waiting for the next snapshot. Rows are sent as one JSON text, so that their number does not matter.
import type { Db } from '../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  uuid,
  uuids,
} from '../db/statement.ts'
import { hashDetail, hashEvaluation } from '../events/state-content-store.ts'
import type { EvaluatedFlow } from './evaluate-artifacts.ts'

const reported = defineStatement(
  'running.reported',
  { org_id: uuid, environment_id: uuid },
  { artifact_key: text, name: text, instance_count: int, detail: text },
  `select artifact_key, name, instance_count, detail_hash as detail from running_artifacts
   where org_id = :org_id and environment_id = :environment_id`,
)

export type KnownArtifact = RowOf<typeof reported>

/** The running artifacts according to the latest report. */
export function listReported(db: Db, org_id: string, environment_id: string): Promise<KnownArtifact[]> {
  return db.run(reported, { org_id, environment_id })
}

const EVALUATION_ROW = {
  artifact_key: text,
  fingerprint: text,
  name: text,
  compliant: nullable(bool),
  evaluation_sha256: text,
  flow_ids: uuids,
  alternates: texts,
}

const selectEvaluations = (source: string) => `
   select w.artifact_key, w.fingerprint, w.name, w.compliant,
     coalesce(w.evaluation_sha256, ${hashEvaluation('w')}) as evaluation_sha256, w.flow_ids,
     array(select a.fingerprint from running_alternates a where a.org_id = :org_id
       and a.environment_id = :environment_id and a.artifact_key = w.artifact_key order by a.fingerprint) as alternates
   from ${source} w
   order by w.artifact_key`
const RUNNING_THERE = 'x.org_id = :org_id and x.environment_id = :environment_id'

const evaluated = defineStatement(
  'running.previous_evaluations',
  { org_id: uuid, environment_id: uuid },
  EVALUATION_ROW,
  selectEvaluations(`(select * from running_artifacts x where ${RUNNING_THERE})`),
)

// A separate statement, so that the plan for a few artifacts does not read all of them.
const evaluatedOf = defineStatement(
  'running.previous_evaluations_of',
  { org_id: uuid, environment_id: uuid, keys: texts },
  EVALUATION_ROW,
  selectEvaluations(`unnest(:keys::text[]) as r(artifact_key) cross join lateral (
     select * from running_artifacts x where ${RUNNING_THERE} and x.artifact_key = r.artifact_key limit 1)`),
)

export type PreviousEvaluation = RowOf<typeof evaluated>

/** The running artifacts and their evaluations, for the given keys or all. */
export function listPreviousEvaluations(
  db: Db,
  org_id: string,
  { environment_id, keys }: { environment_id: string; keys: string[] | null },
): Promise<PreviousEvaluation[]> {
  return keys === null
    ? db.run(evaluated, { org_id, environment_id })
    : db.run(evaluatedOf, { org_id, environment_id, keys })
}

export interface RefreshedRow {
  artifact_key: string
  name: string
  instance_count: number
  instances: unknown
  detail_hash: string
  annotation: string | null
}

/** Looks up each artifact of `r` by its key. A join could compare each of them with everything that runs. */
const FIND_RUNNING = `cross join lateral (
     select x.ctid from running_artifacts x
     where x.org_id = :org_id and x.environment_id = :environment_id and x.artifact_key = r.artifact_key limit 1
   ) found`

const refresh = defineStatement(
  'running.refresh',
  { org_id: uuid, environment_id: uuid, rows: text },
  {},
  `update running_artifacts w
   set name = r.name, instance_count = r.instance_count, instances = r.instances, detail_hash = r.detail_hash,
     detail_sha256 = ${hashDetail('w', 'r')}, annotation = coalesce(w.annotation, r.annotation), is_run_ahead = true
   from json_to_recordset(:rows::text::json) as r(artifact_key text, name text, instance_count int, instances json,
     detail_hash text, annotation text)
   ${FIND_RUNNING}
   where w.org_id = :org_id and w.ctid = found.ctid`,
)

/** `rows` is a JSON list of RefreshedRow. */
export async function updateRefreshed(
  db: Db,
  org_id: string,
  refreshed: { environment_id: string; rows: string },
): Promise<void> {
  await db.run(refresh, { org_id, ...refreshed })
}

export interface EvaluatedRow {
  artifact_key: string
  compliant: boolean | null
  evaluation: unknown
  flow_ids: string[]
  repo_ids: string[]
  annotation: string | null
}

const update = defineStatement(
  'running.update_evaluations',
  { org_id: uuid, environment_id: uuid, rows: text },
  {},
  `update running_artifacts w
   set compliant = r.compliant, evaluation = r.evaluation, flow_ids = r.flow_ids, repo_ids = r.repo_ids,
     evaluation_sha256 = ${hashEvaluation('r')}, annotation = coalesce(r.annotation, w.annotation),
     is_verdict_ahead = true
   from json_to_recordset(:rows::text::json) as r(artifact_key text, compliant boolean, evaluation json,
     flow_ids uuid[], repo_ids uuid[], annotation text)
   ${FIND_RUNNING}
   where w.org_id = :org_id and w.ctid = found.ctid`,
)

/** `rows` is a JSON list of EvaluatedRow. */
export async function updateEvaluations(
  db: Db,
  org_id: string,
  updated: { environment_id: string; rows: string },
): Promise<void> {
  await db.run(update, { org_id, ...updated })
}

const stop = defineStatement(
  'running.stop',
  { org_id: uuid, environment_id: uuid, keys: texts },
  {
    artifact_key: text,
    fingerprint: text,
    name: text,
    was: int,
    compliant: nullable(bool),
    flow_ids: uuids,
    repo_ids: uuids,
    flows: json<EvaluatedFlow[]>(),
  },
  `delete from running_artifacts w
   using unnest(:keys::text[]) as r(artifact_key)
   ${FIND_RUNNING}
   where w.org_id = :org_id and w.ctid = found.ctid
   returning w.artifact_key, w.fingerprint, w.name, w.was, w.compliant, w.flow_ids, w.repo_ids,
     w.evaluation -> 'flows' as flows`,
)

export type StoppedArtifact = RowOf<typeof stop>

export function deleteStopped(
  db: Db,
  org_id: string,
  stopped: { environment_id: string; keys: string[] },
): Promise<StoppedArtifact[]> {
  return db.run(stop, { org_id, ...stopped })
}
