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
  evaluation_md5: text,
  flow_ids: uuids,
}

const selectEvaluations = (filter: string) => `
   select artifact_key, fingerprint, name, compliant, md5(evaluation::text) as evaluation_md5, flow_ids
   from running_artifacts
   where org_id = :org_id and environment_id = :environment_id ${filter}
   order by artifact_key`

const evaluated = defineStatement(
  'running.previous_evaluations',
  { org_id: uuid, environment_id: uuid },
  EVALUATION_ROW,
  selectEvaluations(''),
)

// A separate statement, so that the plan for a few artifacts does not read all of them.
const evaluatedOf = defineStatement(
  'running.previous_evaluations_of',
  { org_id: uuid, environment_id: uuid, keys: texts },
  EVALUATION_ROW,
  selectEvaluations('and artifact_key = any (:keys)'),
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

export interface StartedRow {
  artifact_key: string
  fingerprint: string
  name: string
  instance_count: number
  instances: unknown
  detail_hash: string
  replaced: unknown
  compliant: boolean | null
  evaluation: unknown
  flow_ids: string[]
  repo_ids: string[]
  annotation: string
}

const start = defineStatement(
  'running.start',
  { org_id: uuid, environment_id: uuid, rows: text },
  {},
  `insert into running_artifacts (org_id, environment_id, artifact_key, fingerprint, name, instance_count, instances,
     detail_hash, replaced, compliant, evaluation, flow_ids, repo_ids, annotation, was, is_run_ahead, is_verdict_ahead)
   select :org_id, :environment_id, r.artifact_key, r.fingerprint, r.name, r.instance_count, r.instances, r.detail_hash,
     r.replaced, r.compliant, r.evaluation, r.flow_ids, r.repo_ids, r.annotation, 0, true, true
   from json_to_recordset(:rows::text::json) as r(artifact_key text, fingerprint text, name text, instance_count int,
     instances json, detail_hash text, replaced json, compliant boolean, evaluation json, flow_ids uuid[],
     repo_ids uuid[], annotation text)`,
)

/** `rows` is a JSON list of StartedRow. */
export async function insertStarted(
  db: Db,
  org_id: string,
  started: { environment_id: string; rows: string },
): Promise<void> {
  await db.run(start, { org_id, ...started })
}

export interface RefreshedRow {
  artifact_key: string
  name: string
  instance_count: number
  instances: unknown
  detail_hash: string
  annotation: string | null
}

const refresh = defineStatement(
  'running.refresh',
  { org_id: uuid, environment_id: uuid, rows: text },
  {},
  `update running_artifacts w
   set name = r.name, instance_count = r.instance_count, instances = r.instances, detail_hash = r.detail_hash,
     annotation = coalesce(w.annotation, r.annotation), is_run_ahead = true
   from json_to_recordset(:rows::text::json) as r(artifact_key text, name text, instance_count int, instances json,
     detail_hash text, annotation text)
   where w.org_id = :org_id and w.environment_id = :environment_id and w.artifact_key = r.artifact_key`,
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
     annotation = coalesce(r.annotation, w.annotation), is_verdict_ahead = true
   from json_to_recordset(:rows::text::json) as r(artifact_key text, compliant boolean, evaluation json,
     flow_ids uuid[], repo_ids uuid[], annotation text)
   where w.org_id = :org_id and w.environment_id = :environment_id and w.artifact_key = r.artifact_key`,
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
  `delete from running_artifacts
   where org_id = :org_id and environment_id = :environment_id and artifact_key = any (:keys::text[])
   returning artifact_key, fingerprint, name, was, compliant, flow_ids, repo_ids, evaluation -> 'flows' as flows`,
)

export type StoppedArtifact = RowOf<typeof stop>

export function deleteStopped(
  db: Db,
  org_id: string,
  stopped: { environment_id: string; keys: string[] },
): Promise<StoppedArtifact[]> {
  return db.run(stop, { org_id, ...stopped })
}
