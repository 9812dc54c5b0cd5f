// Every statement about approvals.
import { computed, toColumnList, toSelectList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
  type Values,
} from '../../db/statement.ts'

/** One person's decision as stored, with the time in epoch seconds. */
export interface GivenApproval {
  state: 'APPROVED' | 'PENDING' | 'REJECTED'
  approved_by: string
  comment: string
  approval_url: string
  timestamp: number
}

interface CoveredCommit {
  commit_sha: string
  artifact_fingerprints: string[]
}

const next = defineStatement(
  'approvals.next_number',
  { org_id: uuid, flow_name: text },
  { flow_id: uuid, number: int },
  `update flows set approvals = approvals + 1
   where org_id = :org_id and flow_id = flow_named(:org_id, :flow_name) and archived_at is null
   returning flow_id, approvals as number`,
)

/** Reserves the next approval number. The flow stays locked until the end of the transaction. */
export async function allocateNumber(tx: Db, org_id: string, flow_name: string) {
  return (await tx.run(next, { org_id, flow_name }))[0]
}

const newestArtifact = defineStatement(
  'approvals.newest_artifact',
  { org_id: uuid, flow_id: uuid, fingerprint: text },
  { filename: text, trail_id: nullable(uuid) },
  `select a.filename, a.trail_id from artifacts a
   where a.org_id = :org_id and a.flow_id = :flow_id and a.fingerprint = :fingerprint
   order by a.artifact_id desc limit 1`,
)

/** The name and trail of the newest artifact with the fingerprint. */
export async function findArtifact(tx: Db, org_id: string, flow_id: string, fingerprint: string) {
  return (await tx.run(newestArtifact, { org_id, flow_id, fingerprint }))[0]
}

/** As reported and stored. */
const NEW = {
  number: int,
  artifact_fingerprint: text,
  artifact_name: text,
  environment_name: nullable(text),
  description: text,
  state: text,
  approvals: json<GivenApproval[]>(),
  src_commit_list: json<string[]>(),
  oldest_commit: nullable(text),
  user_data: nullable(json<unknown>()),
  created_by: text,
}

const insert = defineStatement(
  'approvals.insert',
  { org_id: uuid, flow_id: uuid, ...NEW, now: time },
  {},
  `insert into approvals (org_id, flow_id, ${toColumnList(NEW)}, created_at, last_modified_at)
   values (:org_id, :flow_id, ${toValueList(NEW)}, :now, :now)`,
)

export interface NewApproval extends Values<typeof NEW> {
  flow_id: string
  state: 'APPROVED' | 'PENDING'
}

export async function insertApproval(
  tx: Db,
  org_id: string,
  approval: NewApproval,
  now: Date,
): Promise<void> {
  await tx.run(insert, { org_id, ...approval, now })
}

const APPROVAL = {
  ...NEW,
  // Artifacts built from a commit are looked up on read, because builds may be reported after the approval.
  src_commit_list: computed(
    json<CoveredCommit[]>(),
    `select coalesce(jsonb_agg(jsonb_build_object('commit_sha', c.sha, 'artifact_fingerprints', (
         select coalesce(jsonb_agg(distinct a.fingerprint), '[]')
         from artifact_reports r join artifacts a on a.org_id = r.org_id and a.artifact_id = r.artifact_id
         where r.org_id = p.org_id and r.git_commit = c.sha and a.flow_id = p.flow_id)) order by c.place), '[]')
     from jsonb_array_elements_text(p.src_commit_list) with ordinality c (sha, place)`,
  ),
  created_at: time,
  last_modified_at: time,
}

const find = defineStatement(
  'approvals.find',
  { org_id: uuid, flow_id: uuid, number: int },
  APPROVAL,
  `select ${toSelectList('p', APPROVAL)} from approvals p
   where p.org_id = :org_id and p.flow_id = :flow_id and p.number = case when :number::int > 0 then :number else (
     select f.approvals + 1 + :number from flows f where f.org_id = :org_id and f.flow_id = :flow_id) end
     and :number <> 0`,
)

export type ApprovalRow = RowOf<typeof find>

/** Negative numbers count from the newest. */
export async function findApproval(tx: Db, org_id: string, flow_id: string, number: number) {
  return (await tx.run(find, { org_id, flow_id, number }))[0]
}

const list = defineStatement(
  'approvals.list',
  { org_id: uuid, flow_id: uuid, limit: int, offset: count },
  APPROVAL,
  `select ${toSelectList('p', APPROVAL)} from approvals p
   where p.org_id = :org_id and p.flow_id = :flow_id
   order by p.number desc
   limit :limit::int offset :offset::bigint`,
)

/** Newest first. */
export function listApprovals(
  tx: Db,
  org_id: string,
  flow_id: string,
  slice: { limit: number; offset: number },
) {
  return tx.run(list, { org_id, flow_id, ...slice })
}

const countAll = defineStatement(
  'approvals.count',
  { org_id: uuid, flow_id: uuid },
  { total: int },
  'select approvals as total from flows where org_id = :org_id and flow_id = :flow_id',
)

/** Approvals are numbered without gaps and never removed, so the flow's last number is their count. */
export async function countApprovals(tx: Db, org_id: string, flow_id: string): Promise<number> {
  return (await tx.run(countAll, { org_id, flow_id }))[0]?.total ?? 0
}

const ofArtifact = defineStatement(
  'approvals.of_artifact',
  { org_id: uuid, flow_id: uuid, fingerprint: text },
  APPROVAL,
  `select ${toSelectList('p', APPROVAL)} from approvals p
   where p.org_id = :org_id and p.flow_id = :flow_id and p.artifact_fingerprint = :fingerprint
   order by p.number`,
)

/** Oldest first. */
export function listArtifactApprovals(tx: Db, org_id: string, flow_id: string, fingerprint: string) {
  return tx.run(ofArtifact, { org_id, flow_id, fingerprint })
}

const approvedCommit = defineStatement(
  'approvals.approved_commit',
  { org_id: uuid, flow_name: text, env_name: text },
  { flow_id: nullable(uuid), commit_sha: nullable(text) },
  `select flow_named(:org_id, :flow_name) as flow_id, (
     select (select a.git_commit from artifacts a
             where a.org_id = :org_id and a.flow_id = p.flow_id and a.fingerprint = p.artifact_fingerprint
             order by a.artifact_id desc limit 1)
     from approvals p
     where p.org_id = :org_id and p.flow_id = flow_named(:org_id, :flow_name) and p.state = 'APPROVED'
       and p.environment_name = :env_name
     order by p.number desc limit 1) as commit_sha`,
)

/** The commit of the newest artifact that was approved for the environment. */
export async function findApprovedCommit(
  db: Database,
  org_id: string,
  filter: { flow_name: string; env_name: string },
) {
  const [row] = await db.read({ org_id }, approvedCommit, { org_id, ...filter })
  return { flow_id: row?.flow_id ?? null, commit_sha: row?.commit_sha ?? null }
}
