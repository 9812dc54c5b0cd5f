// The statements that read the decisions on a control: attestations that name its identifier. That includes decisions
// made before the control was created.
import { computed, toSelectList } from '../../../db/columns.ts'
import type { Database, Db } from '../../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsPage,
  readsWholeOrg,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../../db/statement.ts'
import { selectFirstContent } from '../../../events/files-content-store.ts'

/** Read from `DECISION_TABLES`. */
const DECISION = {
  attestation_id: uuid,
  attestation_name: text,
  is_compliant: bool,
  flow_name: computed(text, 'f.name'),
  trail_name: computed(text, 't.name'),
  artifact_name: computed(nullable(text), 'a.filename'),
  artifact_fingerprint: computed(nullable(text), 'a.fingerprint'),
  target_artifacts: computed(json<string[]>(), 'to_jsonb(w.target_artifacts)'),
  control_version: nullable(int),
  description: computed(nullable(text), "nullif(w.report ->> 'description', '')"),
  reported_by: text,
  created_at: time,
  expires_at: nullable(time),
  collected_at: computed(nullable(json<number>()), "w.report -> 'collected_at'"),
  spooled: computed(nullable(json<boolean>()), "w.report -> 'spooled'"),
}

const DECISION_DETAIL = {
  ...DECISION,
  report: json<Record<string, unknown>>(),
  evidence_sha256: computed(nullable(text), selectFirstContent('w')),
}

const DECISION_TABLES = `
  attestations w
  join flows f on f.org_id = w.org_id and f.flow_id = w.flow_id
  join trails t on t.org_id = w.org_id and t.trail_id = w.trail_id
  left join artifacts a on a.org_id = w.org_id and a.artifact_id = w.artifact_id`

const FILTER = {
  is_compliant: nullable(bool),
  from_at: nullable(time),
  to_at: nullable(time),
  from_id: uuid,
  to_id: uuid,
  flow_names: nullable(texts),
  flow_ids: nullable(uuids),
}

export interface DecisionOrder {
  direction: 'asc' | 'desc'
  limit: number
  offset: number
}

export interface DecisionFilter {
  identifier: string
  is_compliant: boolean | null
  from_at: Date | null
  to_at: Date | null
  /** Exclusive bounds. */
  from_id: string
  to_id: string
  /** Former names match too. If both lists are null, every flow matches. */
  flow_names: string[] | null
  flow_ids: string[] | null
}

const OF_CONTROL = { org_id: uuid, identifier: text, ...FILTER }

const REQUESTED = `
  with requested as materialized (
    select coalesce(flow_named(:org_id, n.name), (
      select f.flow_id from flows f where f.org_id = :org_id and f.name = n.name)) as flow_id
    from unnest(:flow_names::text[]) n(name)
    union all select i.flow_id from unnest(:flow_ids::uuid[]) i(flow_id)
  )`
const MATCHING = `w.org_id = :org_id and w.control = :identifier and w.control is not null
    and w.attestation_id > :from_id and w.attestation_id < :to_id
    and (:is_compliant::boolean is null or w.is_compliant = :is_compliant)
    and (:from_at::timestamptz is null or w.created_at >= :from_at)
    and (:to_at::timestamptz is null or w.created_at <= :to_at)
    and exists (select from controls c where c.org_id = :org_id and c.identifier = :identifier)
    and ((:flow_names::text[] is null and :flow_ids::uuid[] is null)
         or w.flow_id in (select x.flow_id from requested x where x.flow_id is not null))`

/** One statement per direction, so that each walks the index. */
function defineList(direction: 'asc' | 'desc') {
  return defineStatement(
    `controls.decisions_${direction}`,
    { ...OF_CONTROL, limit: int, offset: count },
    DECISION,
    `${REQUESTED}
     select ${toSelectList('w', DECISION)} from ${DECISION_TABLES}
     where ${MATCHING}
     order by w.attestation_id ${direction}
     limit :limit::int offset :offset::bigint`,
    readsPage,
  )
}

const LISTS = { asc: defineList('asc'), desc: defineList('desc') }

export type DecisionRow = RowOf<typeof LISTS.asc>

export function listDecisions(
  db: Database,
  org_id: string,
  query: DecisionFilter,
  { direction, ...slice }: DecisionOrder,
): Promise<readonly DecisionRow[]> {
  return db.read({ org_id }, LISTS[direction], { org_id, ...query, ...slice })
}

const countMatching = defineStatement(
  'controls.count_decisions',
  OF_CONTROL,
  { total: count },
  `${REQUESTED}
   select count(*) as total from attestations w where ${MATCHING}`,
  readsWholeOrg('the total of a list counts every decision on the control'),
)

/** The same with the total, in one round trip. */
export async function listCountedDecisions(
  tx: Db,
  org_id: string,
  query: DecisionFilter,
  { direction, ...slice }: DecisionOrder,
) {
  const [rows, [counted]] = await Promise.all([
    tx.run(LISTS[direction], { org_id, ...query, ...slice }),
    tx.run(countMatching, { org_id, ...query }),
  ])
  return { rows, total: counted?.total ?? 0 }
}

const find = defineStatement(
  'controls.find_decision',
  { org_id: uuid, identifier: text, attestation_id: uuid },
  DECISION_DETAIL,
  `select ${toSelectList('w', DECISION_DETAIL)} from ${DECISION_TABLES}
   where w.org_id = :org_id and w.attestation_id = :attestation_id and w.control = :identifier
     and exists (select from controls c where c.org_id = :org_id and c.identifier = :identifier)`,
)

export type DecisionDetailRow = RowOf<typeof find>

export async function findDecision(
  db: Database,
  org_id: string,
  query: { identifier: string; attestation_id: string },
): Promise<DecisionDetailRow | undefined> {
  return (await db.read({ org_id }, find, { org_id, ...query }))[0]
}

const known = defineStatement(
  'controls.is_known',
  { org_id: uuid, identifier: text },
  { is_known: bool },
  `select exists (select from controls c where c.org_id = :org_id and c.identifier = :identifier) as is_known`,
)

/** Distinguishes an unknown control from one without decisions. */
export async function isControl(db: Database, org_id: string, identifier: string): Promise<boolean> {
  return (await db.read({ org_id }, known, { org_id, identifier }))[0]?.is_known ?? false
}
