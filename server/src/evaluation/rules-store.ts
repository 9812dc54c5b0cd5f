// The rules of an environment, which together with the evidence decide its verdicts: attached policies and
// allow-list.
import type { Db } from '../db/database.ts'
import { defineStatement, json, time, uuid } from '../db/statement.ts'
import type { Policy } from '../domain/policy/policy.ts'

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

/** The rules of an environment, whatever runs in it. */
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
