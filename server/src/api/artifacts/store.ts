// The statements that read artifacts, except those that list them (list-store.ts).
import { computed, toSelectList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  json,
  nullable,
  PLANNED_ONCE,
  type RowOf,
  text,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import type { FingerprintMethod } from '../../domain/fingerprint-methods.ts'
import type { Period } from '../../domain/period.ts'
import { TRAIL_SUBJECT } from '../../domain/trail/subject.ts'
import { flowMeant } from '../shared/flow-names-store.ts'
import { toIdAfter, toIdBefore } from '../shared/id-bounds.ts'
import type { RepoInfo } from '../shared/wire.ts'

/** Shorter prefixes of a fingerprint match no artifact. */
const MIN_PREFIX_LENGTH = 5
const MAX_REPORTS = 100

/** The part of a report without its own columns; stored as sent. */
export interface ArtifactReport {
  build_url: string
  commit_url: string
  repo_url?: string
  git_commit_info?: Record<string, unknown> | null
  commits_list?: unknown[]
  repo_info?: RepoInfo
  external_urls?: Record<string, unknown>
  annotations?: Record<string, string>
  user_data?: unknown
  description?: string
  template?: string
  collected_at?: number
  spooled?: boolean
  fingerprint_method?: FingerprintMethod
}

/** Read from `ARTIFACT_TABLES`. */
export const ARTIFACT = {
  artifact_id: uuid,
  flow_id: uuid,
  flow_name: computed(text, 'f.name'),
  trail_name: computed(nullable(text), 't.name'),
  template_reference_name: nullable(text),
  fingerprint: text,
  filename: text,
  git_commit: nullable(text),
  state: text,
  is_declared_compliant: nullable(bool),
  report: json<ArtifactReport>(),
  created_by: text,
  created_at: time,
  /** Whether its flow is archived. */
  is_archived: computed(bool, 'f.archived_at is not null'),
  reports_count: computed(
    count,
    'select count(*) from artifact_reports r where r.org_id = a.org_id and r.artifact_id = a.artifact_id',
  ),
  running_count: computed(
    count,
    // Looks up each environment: a join could read everything that runs.
    `select count(*) from running_artifacts r
     where r.org_id = a.org_id and r.fingerprint = a.fingerprint and (
       select e.archived_at is null from environments e
       where e.org_id = r.org_id and e.environment_id = r.environment_id
     )`,
  ),
  exited_count: computed(
    count,
    'select count(*) from runs r where r.org_id = a.org_id and r.fingerprint = a.fingerprint and r.is_exit',
  ),
}

export const ARTIFACT_TABLES = `
  artifacts a
  join flows f on f.org_id = a.org_id and f.flow_id = a.flow_id
  left join trails t on t.org_id = a.org_id and t.trail_id = a.trail_id`

/** Selects some artifacts, looking up the flow and the trail of each. A join could read all trails. */
const selectOf = (artifacts: string): string => `
  (${artifacts}) a
  cross join lateral (
    select x.name, x.archived_at from flows x where x.org_id = :org_id and x.flow_id = a.flow_id limit 1
  ) f
  left join lateral (
    select x.name from trails x where x.org_id = :org_id and x.trail_id = a.trail_id limit 1
  ) t on true`

const byFingerprint = defineStatement(
  'artifacts.by_fingerprint',
  {
    org_id: uuid,
    flow_name: text,
    prefix: text,
    trail_name: nullable(text),
    attestation_id: nullable(uuid),
  },
  ARTIFACT,
  `select ${toSelectList('a', ARTIFACT)}
   from ${selectOf(`
     select x.* from artifacts x
     where x.org_id = :org_id and x.fingerprint >= :prefix and x.fingerprint < :prefix || 'g' offset 0`)}
   where a.flow_id = ${flowMeant(':flow_name')} and (:trail_name::text is null or t.name = :trail_name)
     and (:attestation_id::uuid is null or a.artifact_id = :attestation_id or a.artifact_id = (
       select w.artifact_id from attestations w
       where w.org_id = :org_id and w.attestation_id = :attestation_id::uuid))
   order by a.artifact_id desc`,
  PLANNED_ONCE,
)

export type ArtifactRow = RowOf<typeof byFingerprint>

/** Every artifact of the flow whose fingerprint starts with the prefix, newest first. */
export function listArtifactsByFingerprint(
  db: Db,
  org_id: string,
  filter: {
    flow_name: string
    prefix: string
    trail_name: string | null
    attestation_id?: string | null
  },
) {
  return db.run(byFingerprint, { org_id, attestation_id: null, ...filter })
}

const byCommit = defineStatement(
  'artifacts.by_commit',
  { org_id: uuid, flow_name: text, prefix: text },
  ARTIFACT,
  `select ${toSelectList('a', ARTIFACT)}
   from ${selectOf(`
     select built.* from (
       select distinct r.artifact_id from artifact_reports r
       where r.org_id = :org_id and r.git_commit >= :prefix and r.git_commit < :prefix || 'g'
     ) reported
     cross join lateral (
       select * from artifacts x where x.org_id = :org_id and x.artifact_id = reported.artifact_id limit 1
     ) built`)}
   where a.flow_id = ${flowMeant(':flow_name')}
   order by a.artifact_id desc`,
  PLANNED_ONCE,
)

/** Includes artifacts that were later reported again with another commit. */
export function listArtifactsByCommit(db: Db, org_id: string, filter: { flow_name: string; prefix: string }) {
  return db.run(byCommit, { org_id, ...filter })
}

const perDay = defineStatement(
  'artifacts.per_day',
  { org_id: uuid, repo_id: uuid, from_id: uuid, to_id: uuid, from_at: time, to_at: time },
  { flow_name: text, days: json<{ day: string; count: number }[]>() },
  `select f.name as flow_name, json_agg(json_build_object('day', b.day, 'count', b.count)) as days
   from (
     select a.flow_id, to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as count
     from artifacts a
     where a.org_id = :org_id and a.artifact_id >= :from_id and a.artifact_id < :to_id
       and a.repo_id = :repo_id and a.created_at >= :from_at and a.created_at <= :to_at
     group by 1, 2
   ) b
   join flows f on f.org_id = :org_id and f.flow_id = b.flow_id and f.archived_at is null
   group by f.name
   order by f.name`,
)

/** Builds per flow and day from a repository. Ids contain the time, so the period bounds the ids to read. */
export function countBuildsPerDay(db: Db, org_id: string, repo_id: string, { from, to }: Period) {
  const ids = { from_id: toIdBefore(from), to_id: toIdAfter(to) }
  return db.run(perDay, { org_id, repo_id, ...ids, from_at: from, to_at: to })
}

const latestCommit = defineStatement(
  'artifacts.latest_commit',
  { org_id: uuid, flow_name: text, fingerprint: text, branch: nullable(text) },
  { flow_id: nullable(uuid), archived_at: nullable(time), git_commit: nullable(text) },
  `select flow_meant(:org_id, :flow_name) as flow_id, (
     select f.archived_at from flows f
     where f.org_id = :org_id and f.flow_id = flow_meant(:org_id, :flow_name)) as archived_at, (
     select a.git_commit from artifacts a
     where a.org_id = :org_id and a.flow_id = flow_meant(:org_id, :flow_name) and a.git_commit is not null
       and not (length(:fingerprint) >= ${MIN_PREFIX_LENGTH} and starts_with(a.fingerprint, :fingerprint))
       and (:branch::text is null or a.report -> 'git_commit_info' ->> 'branch' = :branch or exists (
         select from json_array_elements(a.report -> 'commits_list') c
         where c ->> 'sha1' = a.git_commit and c ->> 'branch' = :branch))
     order by a.artifact_id desc limit 1) as git_commit`,
)

/** The commit of the newest other artifact of the flow. */
export async function findLatestCommit(
  db: Database,
  org_id: string,
  filter: { flow_name: string; fingerprint: string; branch: string | null },
) {
  const [row] = await db.read({ org_id }, latestCommit, { org_id, ...filter })
  return row ?? { flow_id: null, archived_at: null, git_commit: null }
}

const history = defineStatement(
  'artifacts.history',
  { org_id: uuid, artifact_ids: uuids },
  { artifact_id: uuid, attestation_name: text, created_at: time },
  `select s.artifact_id, w.attestation_name, w.created_at
   from evidence_slots s
   join attestations w on w.org_id = :org_id and w.trail_id = s.trail_id and w.attestation_name = s.attestation_name
     and (w.artifact_id = s.artifact_id or w.attestation_id = s.attestation_id)
   where s.org_id = :org_id and s.artifact_id = any (:artifact_ids::uuid[]) and s.artifact_id <> '${TRAIL_SUBJECT}'
   order by w.attestation_id`,
  PLANNED_ONCE,
)

/** When each attestation of each artifact was reported, oldest first. */
export function listAttestationHistory(db: Db, org_id: string, artifact_ids: string[]) {
  return db.run(history, { org_id, artifact_ids })
}

const REPORT = {
  artifact_id: uuid,
  report_id: uuid,
  filename: text,
  git_commit: nullable(text),
  is_compliant: nullable(bool),
  report: json<ArtifactReport>(),
  reported_by: text,
  reported_at: time,
}

const reports = defineStatement(
  'artifacts.reports',
  { org_id: uuid, artifact_ids: uuids },
  REPORT,
  `select ${toSelectList('r', REPORT)}
   from unnest(:artifact_ids::uuid[]) requested(id)
   cross join lateral (
     select x.* from artifact_reports x
     where x.org_id = :org_id and x.artifact_id = requested.id
     order by x.report_id desc limit ${MAX_REPORTS}
   ) r
   order by r.report_id`,
  PLANNED_ONCE,
)

export type ReportRow = RowOf<typeof reports>

/** The newest hundred reports of each artifact, oldest first. */
export function listReports(db: Db, org_id: string, artifact_ids: string[]) {
  return db.run(reports, { org_id, artifact_ids })
}
