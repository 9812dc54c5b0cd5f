// The statement that stores the artifacts that start, with everything that follows: the running artifacts, the open
// intervals of the snapshot, its events, deployments without a flow, and the evaluations to repeat. One statement,
// because the same rows go to all of these tables. The snapshot itself is already stored.
import { type ColumnKind, toColumns } from '../db/columns-of-rows.ts'
import type { Db } from '../db/database.ts'
import {
  bool,
  boolColumn,
  defineStatement,
  int,
  intColumn,
  jsonColumn,
  text,
  textColumn,
  time,
  uuid,
  uuidColumn,
} from '../db/statement.ts'
import { hashDetail, hashEvaluation } from '../events/state-content-store.ts'

/** The lists and objects are JSON texts. */
export interface StartedRow {
  artifact_key: string
  fingerprint: string
  name: string
  instance_count: number
  instances: string
  detail_hash: string
  replaced: string
  compliant: boolean | null
  evaluation: string
  flow_ids: readonly string[]
  repo_ids: readonly string[]
  annotation: string
  code_diff: string | null
  /**
   * Identifies the artifact's run, its verdict and its deployment without a flow. Later ids are greater, which keeps
   * indexes small.
   */
  start_id: string
  /** Whether a flow knows the artifact. Flows have their own deployments. */
  is_known: boolean
}

const COLUMNS = {
  artifact_key: 'text',
  fingerprint: 'text',
  name: 'text',
  instance_count: 'int',
  instances: 'json',
  detail_hash: 'text',
  replaced: 'json',
  compliant: 'bool',
  evaluation: 'json',
  flow_ids: 'list',
  repo_ids: 'list',
  annotation: 'text',
  code_diff: 'text',
  start_id: 'uuid',
  is_known: 'bool',
} as const satisfies Record<keyof StartedRow, ColumnKind>

const start = defineStatement(
  'running.start',
  {
    org_id: uuid,
    environment_id: uuid,
    snapshot_index: int,
    started_at: time,
    actor: text,
    requested_at: time,
    evaluates_all: bool,
    artifact_key: textColumn,
    fingerprint: textColumn,
    name: textColumn,
    instance_count: intColumn,
    instances: jsonColumn,
    detail_hash: textColumn,
    replaced: jsonColumn,
    compliant: boolColumn,
    evaluation: jsonColumn,
    flow_ids: textColumn,
    repo_ids: textColumn,
    annotation: textColumn,
    code_diff: textColumn,
    start_id: uuidColumn,
    is_known: boolColumn,
  },
  {},
  `with started as materialized (
     select r.artifact_key, r.fingerprint, r.name, r.instance_count, r.instances, r.detail_hash, r.replaced,
       r.compliant, r.evaluation, r.flow_ids::uuid[] as flow_ids,
       r.repo_ids::uuid[] as repo_ids, r.annotation, r.code_diff, r.start_id, r.is_known
     from unnest(:artifact_key::text[], :fingerprint::text[], :name::text[], :instance_count::int[],
       :instances::json[], :detail_hash::text[], :replaced::json[], :compliant::boolean[], :evaluation::json[],
       :flow_ids::text[], :repo_ids::text[], :annotation::text[], :code_diff::text[],
       :start_id::uuid[], :is_known::boolean[]) as r(artifact_key, fingerprint, name, instance_count, instances, detail_hash, replaced,
       compliant, evaluation, flow_ids, repo_ids, annotation, code_diff, start_id, is_known)
   ), running as (
     insert into running_artifacts (org_id, environment_id, artifact_key, fingerprint, name, instance_count, instances,
       detail_hash, replaced, compliant, evaluation, flow_ids, repo_ids, annotation, was, is_run_ahead,
       is_verdict_ahead, detail_sha256, evaluation_sha256)
     select :org_id, :environment_id, artifact_key, fingerprint, name, instance_count, instances, detail_hash, replaced,
       compliant, evaluation, flow_ids, repo_ids, null, instance_count, false, false,
       ${hashDetail('started')}, ${hashEvaluation('started')}
     from started
   ), opened_runs as (
     insert into runs (org_id, environment_id, run_id, artifact_key, fingerprint, name, instance_count, instances,
       replaced, from_index)
     select :org_id, :environment_id, start_id, artifact_key, fingerprint, name, instance_count, instances,
       replaced, :snapshot_index
     from started
   ), opened_verdicts as (
     insert into verdicts (org_id, environment_id, verdict_id, artifact_key, compliant, evaluation, from_index)
     select :org_id, :environment_id, start_id, artifact_key, compliant, evaluation, :snapshot_index
     from started
   ), logged as (
     insert into environment_events (org_id, environment_id, snapshot_index, artifact_key, happened_at, type,
       fingerprint, artifact_name, was, now, artifact_compliance, snapshot_compliance, flow_ids, repo_ids, code_diff)
     select :org_id, :environment_id, s.snapshot_index, e.artifact_key, :started_at, e.annotation, e.fingerprint, e.name,
       0, e.instance_count, e.compliant, s.compliant, e.flow_ids, e.repo_ids, e.code_diff
     from snapshots s cross join started e
     where s.org_id = :org_id and s.environment_id = :environment_id and s.snapshot_index = :snapshot_index
   ), deployed as (
     insert into deployments (org_id, environment_id, snapshot_index, deployed_at, deployment_id, artifact_key,
       fingerprint, artifact_name, is_primary, template_reference_name)
     select :org_id, :environment_id, :snapshot_index, :started_at, start_id, artifact_key, fingerprint, name, true,
       ''
     from started where not is_known
   )
   insert into pending_judgements (org_id, environment_id, artifact_key, cause, actor, marked_at)
   select :org_id, :environment_id, p.artifact_key, 'evidence', :actor, :requested_at
   from (
     select artifact_key from started where not :evaluates_all::boolean
     union all
     select null where :evaluates_all::boolean
   ) p`,
)

export interface StartedArtifacts {
  environment_id: string
  snapshot_index: number
  started_at: Date
  actor: string
  requested_at: Date
  /** Evaluates everything that runs there once more, instead of the started artifacts one by one. */
  evaluates_all: boolean
  rows: readonly StartedRow[]
}

/**
 * Evidence that commits between our read and our own commit finds no running artifact to evaluate, so started
 * artifacts are evaluated once more when both have committed.
 */
export async function insertStarted(
  db: Db,
  org_id: string,
  { rows, ...started }: StartedArtifacts,
): Promise<void> {
  const columns = await toColumns(COLUMNS, rows)
  await db.run(start, { org_id, ...started, ...columns })
}
