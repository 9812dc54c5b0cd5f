// The statements that only assertions need; evaluation/evidence-store.ts has those they share with the evaluator.
import type { Db } from '../../db/database.ts'
import { defineStatement, int, json, nullable, type RowOf, text, time, uuid } from '../../db/statement.ts'
import type { Policy } from '../../domain/policy/policy.ts'
import type { Template } from '../../domain/template/template.ts'
import { TRAIL_SUBJECT } from '../../domain/trail/subject.ts'

const candidates = defineStatement(
  'asserts.candidates',
  { org_id: uuid, prefix: text, flow_id: nullable(uuid) },
  { fingerprint: text, filename: text },
  `select distinct on (a.fingerprint) a.fingerprint, a.filename from artifacts a
   where a.org_id = :org_id and a.fingerprint >= :prefix and a.fingerprint < :prefix || 'g'
     and (:flow_id::uuid is null or a.flow_id = :flow_id)
   order by a.fingerprint, a.artifact_id`,
)

export interface Candidate {
  fingerprint: string
  filename: string
}

/** The artifacts whose fingerprint starts with the prefix, each under its first reported name. */
export function listCandidates(
  db: Db,
  org_id: string,
  filter: { prefix: string; flow_id: string | null },
): Promise<Candidate[]> {
  return db.run(candidates, { org_id, ...filter })
}

// A logical environment has no policies or allow-list; its members have them.
const ENVIRONMENTS = `(
     select e.environment_id from environments e
     where e.org_id = :org_id and e.environment_id = :environment_id and e.type <> 'logical'
     union all
     select m.member_id from environment_members m where m.org_id = :org_id and m.environment_id = :environment_id
   ) target`

const attached = defineStatement(
  'asserts.policies_in_force',
  { org_id: uuid, environment_id: uuid },
  { environment_id: nullable(uuid), policy_id: uuid, name: text, version: int, parsed: json<Policy>() },
  `select x.environment_id, p.policy_id, p.name, v.version, v.parsed
   from ${ENVIRONMENTS}
   join environment_policies x on x.org_id = :org_id and x.environment_id = target.environment_id
   join policies p on p.org_id = :org_id and p.policy_id = x.policy_id
   join policy_versions v on v.org_id = :org_id and v.policy_id = p.policy_id and v.version = p.latest_version
   order by x.attached_at, p.policy_id, x.environment_id`,
)

/** `environment_id` is where the policy is attached; null for a policy that was requested by name. */
export type PolicyToEvaluate = RowOf<typeof attached>

/** The policies attached to an environment, or to the members of a logical one, in order of attachment. */
export function listAttachedPolicies(
  db: Db,
  org_id: string,
  environment_id: string,
): Promise<PolicyToEvaluate[]> {
  return db.run(attached, { org_id, environment_id })
}

const named = defineStatement(
  'asserts.policies_named',
  { org_id: uuid, names: json<readonly string[]>() },
  { environment_id: nullable(uuid), policy_id: uuid, name: text, version: int, parsed: json<Policy>() },
  `select null::uuid as environment_id, p.policy_id, p.name, v.version, v.parsed
   from jsonb_array_elements_text(:names::jsonb) with ordinality requested(name, ordinal)
   cross join lateral (
     select x.policy_id, x.name, x.latest_version from policies x
     where x.org_id = :org_id and x.name = requested.name limit 1
   ) p
   join policy_versions v on v.org_id = :org_id and v.policy_id = p.policy_id and v.version = p.latest_version
   order by requested.ordinal`,
)

/** The policies with these names, in the requested order; unknown names are skipped. */
export function listPoliciesByName(
  db: Db,
  org_id: string,
  names: readonly string[],
): Promise<PolicyToEvaluate[]> {
  return db.run(named, { org_id, names })
}

const allowed = defineStatement(
  'asserts.allow_list',
  { org_id: uuid, environment_id: uuid, prefix: text, now: time },
  {
    environment_id: uuid,
    fingerprint: text,
    artifact_name: text,
    description: text,
    created_by: text,
    expires_at: nullable(time),
  },
  `select l.environment_id, l.fingerprint, l.artifact_name, l.description, l.created_by, l.expires_at
   from ${ENVIRONMENTS}
   join allow_list l on l.org_id = :org_id and l.environment_id = target.environment_id
     and l.fingerprint >= :prefix and l.fingerprint < :prefix || 'g' and l.ended_at is null
     and (l.expires_at is null or l.expires_at > :now)
   order by l.entry_id`,
)

export type Allowance = RowOf<typeof allowed>

/** Active allow-list entries of an environment, or of the members of a logical one, that match the prefix. */
export function listAllowances(
  db: Db,
  org_id: string,
  filter: { environment_id: string; prefix: string; now: Date },
): Promise<Allowance[]> {
  return db.run(allowed, { org_id, ...filter })
}

export interface SlotInJson {
  is_of_trail: boolean
  attestation_id: string
  attestation_name: string
  attestation_type: string
  is_compliant: boolean
  overridden_attestation_id: string | null
}

const trails = defineStatement(
  'asserts.trails',
  { org_id: uuid, subjects: json<readonly { trail_id: string; artifact_id: string }[]>() },
  {
    trail_id: uuid,
    template_id: uuid,
    evaluated_at: time,
    template: json<Template>(),
    slots: nullable(json<SlotInJson[]>()),
  },
  `select t.trail_id, t.template_id, t.evaluated_at, m.parsed as template, evidence.slots
   from jsonb_to_recordset(:subjects::jsonb) as i(trail_id uuid, artifact_id uuid)
   cross join lateral (
     select x.trail_id, x.template_id, x.evaluated_at from trails x
     where x.org_id = :org_id and x.trail_id = i.trail_id limit 1
   ) t
   join templates m on m.org_id = :org_id and m.template_id = t.template_id
   left join lateral (
     select json_agg(json_build_object(
       'is_of_trail', s.artifact_id = '${TRAIL_SUBJECT}', 'attestation_id', s.attestation_id,
       'attestation_name', s.attestation_name, 'attestation_type', s.counts_as_type,
       'is_compliant', s.is_compliant, 'overridden_attestation_id', s.overridden_attestation_id)) as slots
     from evidence_slots s
     where s.org_id = :org_id and s.trail_id = i.trail_id and s.artifact_id in (i.artifact_id, '${TRAIL_SUBJECT}')
   ) evidence on true`,
)

export type AssertedTrail = RowOf<typeof trails>

/** By trail: its template, and the attestations of the trail and of the requested artifact. */
export async function listTrailsWithEvidence(
  db: Db,
  org_id: string,
  subjects: readonly { trail_id: string; artifact_id: string }[],
): Promise<Map<string, AssertedTrail>> {
  const rows = subjects.length === 0 ? [] : await db.run(trails, { org_id, subjects })
  return new Map(rows.map(row => [row.trail_id, row]))
}
