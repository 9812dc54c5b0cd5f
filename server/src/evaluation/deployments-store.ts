// The statements about deployments: earlier deployments in the slot of an artifact that starts, and new ones.
import { type ColumnKind, toColumns } from '../db/columns-of-rows.ts'
import type { Db } from '../db/database.ts'
import {
  boolColumn,
  defineStatement,
  floatColumn,
  int,
  json,
  jsonColumn,
  nullable,
  type RowOf,
  text,
  textColumn,
  time,
  uuid,
  uuidColumn,
} from '../db/statement.ts'

/** A slot in an environment: the artifacts that one flow reports under one template name replace each other in it. */
export interface Slot {
  artifact_key: string
  flow_id: string
  template_reference_name: string
}

const MAX_EARLIER = 20

const earlier = defineStatement(
  'deployments.earlier',
  { org_id: uuid, environment_id: uuid, slots: json<readonly Slot[]>(), max: int },
  {
    artifact_key: text,
    flow_id: uuid,
    fingerprint: text,
    artifact_name: text,
    git_commit: nullable(text),
    commit_url: nullable(text),
    repo_id: nullable(uuid),
    trail_name: nullable(text),
    template_reference_name: text,
    compliance_state: nullable(text),
    snapshot_index: int,
    running_key: nullable(text),
  },
  `select w.artifact_key, w.flow_id, d.fingerprint, d.artifact_name, d.git_commit, d.commit_url, d.repo_id,
     t.name as trail_name, w.template_reference_name, a.state as compliance_state, d.snapshot_index,
     (select r.artifact_key from running_artifacts r
      where r.org_id = :org_id and r.environment_id = :environment_id and r.artifact_key = d.artifact_key)
       as running_key
   from jsonb_to_recordset(:slots::jsonb) as w(artifact_key text, flow_id uuid, template_reference_name text)
   cross join lateral (
     select x.* from deployments x
     where x.org_id = :org_id and x.environment_id = :environment_id and x.flow_id = w.flow_id
       and x.template_reference_name = w.template_reference_name
     order by x.snapshot_index desc
     limit :max::int
   ) d
   left join trails t on t.org_id = :org_id and t.trail_id = d.trail_id
   left join artifacts a on a.org_id = :org_id and a.artifact_id = d.artifact_id
   where d.artifact_key <> w.artifact_key`,
)

export type EarlierDeployment = RowOf<typeof earlier>

/** The latest earlier deployment of each slot, and whether it is still running. */
export async function listEarlierDeployments(
  db: Db,
  org_id: string,
  environment_id: string,
  slots: readonly Slot[],
): Promise<EarlierDeployment[]> {
  if (slots.length === 0) return []
  return db.run(earlier, { org_id, environment_id, slots, max: MAX_EARLIER })
}

export interface NewDeployment {
  deployment_id: string
  artifact_key: string
  fingerprint: string
  artifact_name: string
  is_primary: boolean
  flow_id: string | null
  trail_id: string | null
  artifact_id: string | null
  template_reference_name: string
  git_commit: string | null
  commit_url: string | null
  repo_id: string | null
  lead_time_seconds: number | null
  /** A JSON text. */
  replaced: string | null
}

const COLUMNS = {
  deployment_id: 'uuid',
  artifact_key: 'text',
  fingerprint: 'text',
  artifact_name: 'text',
  is_primary: 'bool',
  flow_id: 'uuid',
  trail_id: 'uuid',
  artifact_id: 'uuid',
  template_reference_name: 'text',
  git_commit: 'text',
  commit_url: 'text',
  repo_id: 'uuid',
  lead_time_seconds: 'float',
  replaced: 'json',
} as const satisfies Record<keyof NewDeployment, ColumnKind>

const insert = defineStatement(
  'deployments.insert',
  {
    org_id: uuid,
    environment_id: uuid,
    snapshot_index: int,
    deployed_at: time,
    deployment_id: uuidColumn,
    artifact_key: textColumn,
    fingerprint: textColumn,
    artifact_name: textColumn,
    is_primary: boolColumn,
    flow_id: uuidColumn,
    trail_id: uuidColumn,
    artifact_id: uuidColumn,
    template_reference_name: textColumn,
    git_commit: textColumn,
    commit_url: textColumn,
    repo_id: uuidColumn,
    lead_time_seconds: floatColumn,
    replaced: jsonColumn,
  },
  {},
  `insert into deployments (org_id, environment_id, snapshot_index, deployed_at, deployment_id, artifact_key,
     fingerprint, artifact_name, is_primary, flow_id, trail_id, artifact_id, template_reference_name, git_commit,
     commit_url, repo_id, lead_time_seconds, replaced)
   select :org_id, :environment_id, :snapshot_index, :deployed_at, r.deployment_id, r.artifact_key, r.fingerprint,
     r.artifact_name, r.is_primary, r.flow_id, r.trail_id, r.artifact_id, r.template_reference_name, r.git_commit,
     r.commit_url, r.repo_id, r.lead_time_seconds, r.replaced
   from unnest(:deployment_id::uuid[], :artifact_key::text[], :fingerprint::text[], :artifact_name::text[],
     :is_primary::boolean[], :flow_id::uuid[], :trail_id::uuid[], :artifact_id::uuid[],
     :template_reference_name::text[], :git_commit::text[], :commit_url::text[], :repo_id::uuid[],
     :lead_time_seconds::double precision[], :replaced::json[]) as r(deployment_id, artifact_key, fingerprint,
     artifact_name, is_primary, flow_id, trail_id, artifact_id, template_reference_name, git_commit, commit_url,
     repo_id, lead_time_seconds, replaced)`,
)

export async function insertDeployments(
  db: Db,
  org_id: string,
  place: { environment_id: string; snapshot_index: number; deployed_at: Date },
  deployments: readonly NewDeployment[],
): Promise<void> {
  if (deployments.length === 0) return
  await db.run(insert, { org_id, ...place, ...(await toColumns(COLUMNS, deployments)) })
}
