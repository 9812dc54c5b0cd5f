// The statements that store attestations.
import { toColumnsOfBatch } from '../../db/columns-of-rows.ts'
import { makeStep, type Step } from '../../db/database.ts'
import {
  bool,
  boolColumn,
  defineStatement,
  floatColumn,
  int,
  intColumn,
  json,
  jsonColumn,
  nullable,
  type RowOf,
  text,
  textColumn,
  uuid,
  uuidColumn,
} from '../../db/statement.ts'
import type { EvidenceFile } from '../../domain/evidence/files.ts'
import type { EventAuthor } from '../../events/request-context.ts'
import { selectFlowNamed } from '../shared/flow-names-store.ts'

export interface ReportedAttestation {
  ordinal: number
  flow_name: string
  trail_name: string
  attestation_id: string
  event_id: string
  artifact_fingerprint: string | null
  target_artifacts: string[]
  attestation_name: string
  attestation_type: string
  /** For an override, the type of the attestation that it overrides. */
  counts_as_type: string
  is_compliant: boolean
  git_commit: string | null
  control: string | null
  /** When it stops counting, in epoch seconds. */
  expires_at: number | null
  report: Record<string, unknown>
  files: readonly EvidenceFile[]
  actor: string
  /** For an override: names whose reports it must not override. */
  own_names: string[]
  caller_id: string
  idempotency_key: string | null
  request_sha256: string | null
  author: EventAuthor
  now: string
}

/** The keys of a report and its subject. The content is sent only with the statement that stores it. */
export function toReportKeys(item: ReportedAttestation) {
  return {
    ordinal: item.ordinal,
    flow_name: item.flow_name,
    trail_name: item.trail_name,
    artifact_fingerprint: item.artifact_fingerprint,
    target_artifacts: item.target_artifacts,
    attestation_name: item.attestation_name,
    attestation_type: item.attestation_type,
    git_commit: item.git_commit,
    control: item.control,
    own_names: item.own_names,
  }
}

// An override must not replace the caller's own report: one that fills a slot, or one still waiting for its artifact.
const OWN_WORK = `
  select w.reported_by from attestations w
  where w.org_id = :org_id and w.trail_id = t.trail_id and w.attestation_name = i.attestation_name
    and w.reported_by = any (i.own_names) and (w.target_artifacts <> '{}' or exists (
      select from evidence_slots s where s.org_id = :org_id and s.trail_id = t.trail_id
        and s.attestation_name = i.attestation_name
        and w.attestation_id in (s.attestation_id, s.overridden_attestation_id)))
  limit 1`

// An override of a report that waits for its artifact has no slot yet.
const WAITING_REPORT = `
  select w.attestation_id from attestations w
  where i.attestation_type = 'override' and w.org_id = :org_id and w.trail_id = t.trail_id
    and w.attestation_name = i.attestation_name and w.git_commit = i.git_commit
    and w.target_artifacts && i.target_artifacts
  order by w.attestation_id desc limit 1`

const EARLIER_REPORT = `
  select from attestations w
  where w.org_id = :org_id and w.trail_id = t.trail_id and w.attestation_name = i.attestation_name
    and w.target_artifacts = i.target_artifacts and w.artifact_id is not distinct from (
      select x.artifact_id from artifacts x
      where x.org_id = :org_id and x.trail_id = t.trail_id and x.fingerprint = i.artifact_fingerprint
      order by x.artifact_id desc limit 1)`

/**
 * Reads facts that the trail's evidence does not include, for reports that need them: overrides, and reports about
 * artifacts.
 */
export const resolveReports = defineStatement(
  'attestations.resolve_reports',
  { org_id: uuid, items: json<ReturnType<typeof toReportKeys>[]>() },
  {
    ordinal: int,
    /** The caller or one of their service accounts, if they reported what the override would replace. */
    own_work_of: nullable(text),
    overridden_waiting_id: nullable(uuid),
    is_reattestation: bool,
    /** Version of the control that the decision is about. */
    control_version: nullable(int),
  },
  `select i.ordinal, case when i.own_names <> '{}' then (${OWN_WORK}) end as own_work_of,
     (${WAITING_REPORT}) as overridden_waiting_id, exists (${EARLIER_REPORT}) as is_reattestation,
     (select c.version from controls c where c.org_id = :org_id and c.identifier = i.control) as control_version
   from jsonb_to_recordset(:items::jsonb) as i(ordinal int, flow_name text, trail_name text, artifact_fingerprint text,
     target_artifacts text[], attestation_name text, attestation_type text, git_commit text, control text, own_names text[])
   cross join lateral ${selectFlowNamed('i.flow_name')} meant
   cross join lateral (
     select x.trail_id from trails x
     where x.org_id = :org_id and x.flow_id = meant.flow_id and x.name = i.trail_name limit 1
   ) t`,
)

/** A report about the trail itself needs no look-up: it repeats its name if and only if the trail has such a slot. */
export const needsResolving = (item: ReportedAttestation): boolean =>
  item.attestation_type === 'override' ||
  item.control !== null ||
  item.artifact_fingerprint !== null ||
  item.target_artifacts.length > 0

export type ResolvedReport = RowOf<typeof resolveReports>

/** A report with the ids for its names. */
export interface NewAttestation extends ReportedAttestation {
  flow_id: string
  trail_id: string
  artifact_id: string | null
  overridden_attestation_id: string | null
  /** The report as it is stored. */
  report_text: string
  control_version: number | null
}

// The report as json and not jsonb, so that it keeps its key order.
const insertAttestations = defineStatement(
  'attestations.insert',
  {
    org_id: uuid,
    attestation_id: uuidColumn,
    flow_id: uuidColumn,
    trail_id: uuidColumn,
    artifact_id: uuidColumn,
    target_artifacts: textColumn,
    attestation_name: textColumn,
    attestation_type: textColumn,
    is_compliant: boolColumn,
    git_commit: textColumn,
    overridden_attestation_id: uuidColumn,
    control: textColumn,
    control_version: intColumn,
    expires_at: floatColumn,
    report: jsonColumn,
    evidence_sha256: textColumn,
    evidence_name: textColumn,
    evidence_bytes: floatColumn,
    actor: textColumn,
    now: textColumn,
  },
  {},
  `insert into attestations (org_id, attestation_id, flow_id, trail_id, artifact_id, target_artifacts,
     attestation_name, attestation_type, is_compliant, git_commit, overridden_attestation_id, control,
     control_version, expires_at, report, evidence_sha256, evidence_name, evidence_bytes, reported_by, created_at)
   select :org_id, i.attestation_id, i.flow_id, i.trail_id, i.artifact_id, i.target_artifacts::text[], i.attestation_name,
     i.attestation_type, i.is_compliant, i.git_commit, i.overridden_attestation_id, i.control,
     i.control_version, to_timestamp(i.expires_at), i.report,
     i.evidence_sha256, i.evidence_name, i.evidence_bytes::bigint, i.actor, i.now::timestamptz
   from unnest(:attestation_id::uuid[], :flow_id::uuid[], :trail_id::uuid[], :artifact_id::uuid[], :target_artifacts::text[],
     :attestation_name::text[], :attestation_type::text[], :is_compliant::boolean[], :git_commit::text[],
     :overridden_attestation_id::uuid[], :control::text[], :control_version::int[], :expires_at::float8[], :report::json[], :evidence_sha256::text[], :evidence_name::text[],
     :evidence_bytes::float8[], :actor::text[], :now::text[])
     as i(attestation_id, flow_id, trail_id, artifact_id, target_artifacts, attestation_name, attestation_type, is_compliant,
       git_commit, overridden_attestation_id, control, control_version, expires_at, report,
       evidence_sha256, evidence_name, evidence_bytes, actor, now)`,
)

const COLUMNS = {
  attestation_id: 'uuid',
  flow_id: 'uuid',
  trail_id: 'uuid',
  artifact_id: 'uuid',
  target_artifacts: 'list',
  attestation_name: 'text',
  attestation_type: 'text',
  is_compliant: 'bool',
  git_commit: 'text',
  overridden_attestation_id: 'uuid',
  control: 'text',
  control_version: 'int',
  expires_at: 'float',
  report: 'json',
  evidence_sha256: 'text',
  evidence_name: 'text',
  evidence_bytes: 'float',
  actor: 'text',
  now: 'text',
} as const

export function buildInsertStep(org_id: string, attestations: readonly NewAttestation[]): Step {
  // The columns name the object of the first file; earlier versions know no others.
  const rows = attestations.map(({ files: [first], ...item }) => ({
    ...item,
    report: item.report_text,
    evidence_sha256: first?.stored_sha256 ?? null,
    evidence_name: first?.name ?? null,
    evidence_bytes: first?.stored_bytes ?? null,
  }))
  return makeStep(insertAttestations, { org_id, ...toColumnsOfBatch(COLUMNS, rows) })
}
