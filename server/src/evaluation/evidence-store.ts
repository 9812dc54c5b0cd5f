// The statements that collect the basis of a verdict: what every flow knows about an artifact, the attached policies,
// and the allow-list. Each is one statement, whatever the number of artifacts.
import type { Db } from '../db/database.ts'
import { bool, defineStatement, json, nullable, type RowOf, text, time, uuid } from '../db/statement.ts'
import type { AttestationFact } from '../domain/policy/evaluate.ts'
import type { Policy } from '../domain/policy/policy.ts'
import { TRAIL_SUBJECT } from '../domain/trail/subject.ts'

/** The part of a commit that snapshots show. */
export interface CommitSummary {
  sha1?: string
  message?: string
  author?: string
  branch?: string
  timestamp?: number
  url?: string
}

// In each flow the trail that began last counts and, if the fingerprint is on it under two names, the one that is not
// compliant. Flows are in the order in which they first reported the artifact: the first one built it.
const knownFlows = defineStatement(
  'evaluation.known_flows',
  { org_id: uuid, fingerprints: json<readonly string[]>() },
  {
    fingerprint: text,
    flow_id: uuid,
    flow_name: text,
    flow_tags: json<Record<string, string>>(),
    trail_id: nullable(uuid),
    trail_name: nullable(text),
    artifact_id: uuid,
    template_reference_name: nullable(text),
    artifact_state: text,
    is_declared_compliant: nullable(bool),
    reported_by: text,
    git_commit: nullable(text),
    commit_url: nullable(text),
    git_commit_info: nullable(json<CommitSummary>()),
    annotations: nullable(json<Record<string, string>>()),
    repo_id: nullable(uuid),
    attestations: nullable(json<AttestationFact[]>()),
  },
  // Each row is looked up by its whole key (`limit 1`, `offset 0`): in a join, tables without statistics are read in
  // full.
  `select wanted.fingerprint, known.flow_id, f.name as flow_name, f.tags as flow_tags, known.trail_id,
     t.name as trail_name, known.artifact_id, known.template_reference_name, known.state as artifact_state,
     known.is_declared_compliant, known.reported_by, known.git_commit, known.report ->> 'commit_url' as commit_url,
     coalesce(known.report -> 'git_commit_info', t.git_commit_info::json) as git_commit_info,
     known.report -> 'annotations' as annotations, known.repo_id, evidence.attestations
   from jsonb_array_elements_text(:fingerprints::jsonb) wanted(fingerprint)
   cross join lateral (
     select distinct on (a.flow_id) a.flow_id, a.trail_id, a.artifact_id, a.template_reference_name, a.state,
       a.is_declared_compliant, a.reported_by, a.git_commit, a.report, a.repo_id,
       first_value(a.artifact_id) over (partition by a.flow_id order by a.artifact_id) as first_id
     from (
       select x.* from artifacts x where x.org_id = :org_id and x.fingerprint = wanted.fingerprint offset 0
     ) a
     order by a.flow_id, a.trail_id desc nulls last, (a.state = 'COMPLIANT'), a.artifact_id desc
   ) known
   cross join lateral (
     select x.name, x.tags from flows x where x.org_id = :org_id and x.flow_id = known.flow_id limit 1
   ) f
   left join lateral (
     select x.name, x.git_commit_info from trails x where x.org_id = :org_id and x.trail_id = known.trail_id limit 1
   ) t on true
   left join lateral (
     select json_agg(json_build_object(
         'attestation_id', left(s.attestation_id::text, 32), 'name', s.attestation_name, 'type', s.counts_as_type,
         'is_compliant', s.is_compliant, 'control', coalesce(w.control, o.control),
         'subject', case when s.artifact_id = '${TRAIL_SUBJECT}' then 'trail' else 'artifact' end
       ) order by s.attestation_id) as attestations
     from evidence_slots s
     cross join lateral (
       select x.control from attestations x where x.org_id = :org_id and x.attestation_id = s.attestation_id limit 1
     ) w
     left join lateral (
       select x.control from attestations x
       where x.org_id = :org_id and x.attestation_id = s.overridden_attestation_id limit 1
     ) o on true
     where s.org_id = :org_id and s.trail_id = known.trail_id
       and s.artifact_id in (known.artifact_id, '${TRAIL_SUBJECT}')
   ) evidence on true
   order by wanted.fingerprint, known.first_id`,
)

export type KnownFlow = RowOf<typeof knownFlows>

/** What the flows know about each fingerprint; unknown fingerprints are not in the map. */
export async function findKnownFlows(
  db: Db,
  org_id: string,
  fingerprints: readonly string[],
): Promise<Map<string, KnownFlow[]>> {
  const byFingerprint = new Map<string, KnownFlow[]>()
  if (fingerprints.length === 0) return byFingerprint
  for (const row of await db.run(knownFlows, { org_id, fingerprints })) {
    const known = byFingerprint.get(row.fingerprint)
    if (known) known.push(row)
    else byFingerprint.set(row.fingerprint, [row])
  }
  return byFingerprint
}

export interface AttachedPolicy {
  policy_id: string
  name: string
  version: number
  parsed: Policy
}

export interface AllowListed {
  description: string
  created_by: string
  expires_at: Date | null
}

interface AllowListedRow extends Omit<AllowListed, 'expires_at'> {
  fingerprint: string
  expires_at_ms: number | null
}

const rules = defineStatement(
  'evaluation.rules',
  { org_id: uuid, environment_id: uuid, now: time },
  { policies: json<AttachedPolicy[]>(), allow_list: json<AllowListedRow[]>() },
  `select
     (select coalesce(json_agg(json_build_object('policy_id', p.policy_id, 'name', p.name, 'version', v.version,
        'parsed', v.parsed) order by x.attached_at, p.policy_id), '[]')
      from environment_policies x
      join policies p on p.org_id = x.org_id and p.policy_id = x.policy_id
      join policy_versions v on v.org_id = p.org_id and v.policy_id = p.policy_id and v.version = p.latest_version
      where x.org_id = :org_id and x.environment_id = :environment_id) as policies,
     (select coalesce(json_agg(json_build_object('fingerprint', a.fingerprint, 'description', a.description,
        'created_by', a.created_by, 'expires_at_ms', extract(epoch from a.expires_at) * 1000)), '[]')
      from allow_list a
      where a.org_id = :org_id and a.environment_id = :environment_id and a.ended_at is null
        and (a.expires_at is null or a.expires_at > :now)) as allow_list`,
)

/** What decides about the artifacts of an environment, whatever runs in it. */
export interface EnvironmentRules {
  /** In their latest versions, in the order of attachment. */
  policies: AttachedPolicy[]
  /** By fingerprint, as of the given time. */
  allow_list: Map<string, AllowListed>
}

export async function readEnvironmentRules(
  db: Db,
  org_id: string,
  environment_id: string,
  now: Date,
): Promise<EnvironmentRules> {
  const [found] = await db.run(rules, { org_id, environment_id, now })
  const allowed = (found?.allow_list ?? []).map(
    ({ fingerprint, expires_at_ms, ...entry }): [string, AllowListed] => [
      fingerprint,
      { ...entry, expires_at: expires_at_ms === null ? null : new Date(expires_at_ms) },
    ],
  )
  return { policies: found?.policies ?? [], allow_list: new Map(allowed) }
}
