// The statements that read attestations.
import { computed, toSelectList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  PLANNED_ONCE,
  type RowOf,
  readsPage,
  readsWholeOrg,
  text,
  time,
  uuid,
} from '../../db/statement.ts'
import type { EvidenceFile } from '../../domain/evidence/files.ts'
import { selectFiles } from '../../events/files-content-store.ts'
import { toIdAfter, toIdBefore } from '../shared/id-bounds.ts'

const IS_WAITING = `(w.artifact_id is null and w.target_artifacts <> '{}' and not exists (
    select from artifacts x where x.org_id = w.org_id and x.trail_id = w.trail_id and x.git_commit = w.git_commit
      and x.template_reference_name = any (w.target_artifacts)))`

/** Read from `ATTESTATION_TABLES`. */
export const ATTESTATION = {
  attestation_id: uuid,
  flow_name: computed(text, 'f.name'),
  trail_name: computed(text, 't.name'),
  artifact_fingerprint: computed(nullable(text), 'a.fingerprint'),
  target_artifacts: computed(json<string[]>(), 'to_jsonb(w.target_artifacts)'),
  attestation_name: text,
  attestation_type: text,
  is_compliant: bool,
  git_commit: nullable(text),
  overridden_attestation_id: nullable(uuid),
  control: nullable(text),
  report: json<Record<string, unknown>>(),
  evidence_sha256: nullable(text),
  evidence_name: nullable(text),
  evidence_bytes: nullable(count),
  /** Null in attestations of earlier versions, whose one file the columns name. */
  files: computed(nullable(json<EvidenceFile[]>()), selectFiles('w')),
  reported_by: text,
  created_at: time,
  /** True if it names artifacts, but none of these has been built from its commit yet. */
  is_waiting: computed(bool, IS_WAITING),
}

export const ATTESTATION_TABLES = `
  attestations w
  join flows f on f.org_id = w.org_id and f.flow_id = w.flow_id
  join trails t on t.org_id = w.org_id and t.trail_id = w.trail_id
  left join artifacts a on a.org_id = w.org_id and a.artifact_id = w.artifact_id`

const ofTrail = defineStatement(
  'attestations.of_trail',
  { org_id: uuid, flow_id: uuid, trail_name: text, attestation_name: nullable(text) },
  ATTESTATION,
  `select ${toSelectList('w', ATTESTATION)} from ${ATTESTATION_TABLES}
   where w.org_id = :org_id and t.flow_id = :flow_id and t.name = :trail_name
     and (:attestation_name::text is null or w.attestation_name = :attestation_name)
   order by w.attestation_id desc`,
)

export type AttestationRow = RowOf<typeof ofTrail>

/** Every attestation of the trail and its artifacts, of one name or of all, newest first. */
export function listTrailAttestations(
  db: Db,
  org_id: string,
  filter: { flow_id: string; trail_name: string; attestation_name: string | null },
) {
  return db.run(ofTrail, { org_id, ...filter })
}

const ofArtifact = defineStatement(
  'attestations.of_artifact',
  { org_id: uuid, flow_id: uuid, prefix: text, attestation_name: nullable(text) },
  ATTESTATION,
  `select ${toSelectList('w', ATTESTATION)} from ${ATTESTATION_TABLES}
   where w.org_id = :org_id and (:attestation_name::text is null or w.attestation_name = :attestation_name)
     and w.trail_id in (
       select x.trail_id from artifacts x
       where x.org_id = :org_id and x.flow_id = :flow_id and x.fingerprint >= :prefix and x.fingerprint < :prefix || 'g'
     ) and exists (
       select from artifacts x
       where x.org_id = :org_id and x.flow_id = :flow_id and x.trail_id = w.trail_id
         and x.fingerprint >= :prefix and x.fingerprint < :prefix || 'g'
         and (x.artifact_id = w.artifact_id or (w.artifact_id is null and x.git_commit = w.git_commit
              and x.template_reference_name = any (w.target_artifacts)))
     )
   order by w.attestation_id desc`,
)

export function listArtifactAttestations(
  db: Db,
  org_id: string,
  filter: { flow_id: string; prefix: string; attestation_name: string | null },
) {
  return db.run(ofArtifact, { org_id, ...filter })
}

const byId = defineStatement(
  'attestations.by_id',
  { org_id: uuid, attestation_id: uuid },
  ATTESTATION,
  `select ${toSelectList('w', ATTESTATION)} from ${ATTESTATION_TABLES}
   where w.org_id = :org_id and w.attestation_id = :attestation_id`,
  PLANNED_ONCE,
)

export async function findAttestation(db: Database, org_id: string, attestation_id: string) {
  return (await db.read({ org_id }, byId, { org_id, attestation_id }))[0]
}

export interface AttestationFilter {
  /** True lists only attestations in archived flows, false only the others, null both. */
  archived: boolean | null
  /** Null means any flow. */
  flow_id: string | null
  name: string | null
  flows: string[] | null
  types: string[] | null
  is_compliant: boolean | null
  is_waiting: boolean | null
  from: Date | null
  to: Date | null
  after: string | null
}

const PAGE = {
  org_id: uuid,
  archived: nullable(bool),
  flow_id: nullable(uuid),
  name: nullable(text),
  flows: nullable(json<string[]>()),
  types: nullable(json<string[]>()),
  is_compliant: nullable(bool),
  is_waiting: nullable(bool),
  from: nullable(time),
  to: nullable(time),
  min_id: uuid,
  end_id: uuid,
  limit: int,
}

const SHOWN_FLOW = `
  f.org_id = :org_id and (:archived::boolean is null or (f.archived_at is not null) = :archived)
  and (:flow_id::uuid is null or f.flow_id = :flow_id) and (:flows::jsonb is null or :flows ? f.name)`

// The id range bounds the scan of the index; the times are exact.
const FILTERED = `
  w.org_id = :org_id and w.attestation_id >= :min_id and w.attestation_id < :end_id
     and (:name::text is null or w.attestation_name = :name)
     and (:types::jsonb is null or :types ? w.attestation_type)
     and (:is_compliant::boolean is null or w.is_compliant = :is_compliant)
     and (:is_waiting::boolean is null or ${IS_WAITING} = :is_waiting)
     and (:from::timestamptz is null or w.created_at >= :from)
     and (:to::timestamptz is null or w.created_at <= :to)`
const MATCHING = `${FILTERED}
   order by w.attestation_id desc
   limit :limit::int`

/** Reads the long columns of the chosen attestations only. */
const selectPage = (chosen: string) => `
   select ${toSelectList('w', ATTESTATION)} from ${ATTESTATION_TABLES}
   where w.org_id = :org_id and w.attestation_id = any (array(${chosen}))
   order by w.attestation_id desc`

// Looks up the flow of each attestation, newest first, until the page is full. A join would be planned from the flows
// through all of their attestations.
const list = defineStatement(
  'attestations.list',
  PAGE,
  ATTESTATION,
  selectPage(`
     select w.attestation_id from attestations w
     cross join lateral (select from flows f where ${SHOWN_FLOW} and f.flow_id = w.flow_id limit 1) shown
     where ${MATCHING}`),
  readsWholeOrg('a filter without an index of its own reads on until the page is full'),
)

// A separate statement for some flows only: it reads the newest of each, without those of other flows.
const listOfFlows = defineStatement(
  'attestations.list_of_flows',
  PAGE,
  ATTESTATION,
  selectPage(`
     select newest.attestation_id from flows f
     cross join lateral (select w.attestation_id from attestations w where w.flow_id = f.flow_id and ${MATCHING}) newest
     where ${SHOWN_FLOW}
     order by newest.attestation_id desc limit :limit::int`),
)

/** One page of the organization's attestations, newest first, after a cursor. */
export function listAttestations(
  db: Db,
  org_id: string,
  { after, ...filter }: AttestationFilter,
  limit: number,
) {
  const { flow_id, flows, archived, from, to } = filter
  const last_id = toIdAfter(to)
  const end_id = after !== null && after < last_id ? after : last_id
  const statement = flow_id !== null || flows !== null || archived === true ? listOfFlows : list
  return db.run(statement, { org_id, ...filter, min_id: toIdBefore(from), end_id, limit })
}

const { archived: _, flows: __, limit: ___, ...FILTERS_IN_FLOW } = PAGE
const IN_FLOW = { ...FILTERS_IN_FLOW, flow_id: uuid }

const numberedPage = defineStatement(
  'attestations.numbered_page',
  { ...IN_FLOW, limit: int, offset: count },
  ATTESTATION,
  selectPage(`
     select w.attestation_id from attestations w
     where w.flow_id = :flow_id and ${MATCHING} offset :offset::bigint`),
  readsPage,
)

const countInFlow = defineStatement(
  'attestations.count_in_flow',
  IN_FLOW,
  { total: count },
  `select count(*) as total from attestations w where w.flow_id = :flow_id and ${FILTERED}`,
  readsWholeOrg('the total of a list counts every attestation of the flow'),
)

/** One page of the attestations of a flow by its number, newest first, and the total, in one round trip. */
export async function listNumberedAttestations(
  db: Db,
  org_id: string,
  { archived: _, flows: __, after: ___, ...filter }: AttestationFilter & { flow_id: string },
  slice: { limit: number; offset: number },
) {
  const matching = { org_id, ...filter, min_id: toIdBefore(filter.from), end_id: toIdAfter(filter.to) }
  const [rows, [counted]] = await Promise.all([
    db.run(numberedPage, { ...matching, ...slice }),
    db.run(countInFlow, matching),
  ])
  return { rows, total: counted?.total ?? 0 }
}
