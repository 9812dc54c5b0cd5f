// Changing an environment that is there, for PUT and PATCH. What the caller leaves out stays as it is; an archived
// environment comes back.
import type { Db } from '../../db/database.ts'
import { roleSuffices } from '../../domain/roles.ts'
import { record } from '../../events/record.ts'
import { judgeNow } from '../../judging/judge.ts'
import { byMembers, takeLogicalSnapshot } from '../../judging/logical.ts'
import { invalid, lacksRole } from '../../lib/errors.ts'
import type { Caller, CallerOrg, Deps } from '../operation.ts'
import type { NamedEnvironment } from './member-store.ts'
import { holdMembers, LOGICAL, membersChanged, replaceMembers } from './members.ts'
import { setPolicies } from './set-policies.ts'
import * as store from './store.ts'

/** The part of a request that a change needs. */
export interface Request {
  readonly org: CallerOrg
  readonly caller: Caller
  readonly now: Date
  readonly request_id: string
}

export interface Wanted {
  description: string | undefined
  include_scaling: boolean | undefined
  require_provenance: boolean | undefined
  /** Held by the caller. */
  members: readonly NamedEnvironment[] | undefined
  policies: readonly string[] | null | undefined
}

const FIELDS = ['description', 'include_scaling', 'require_provenance'] as const

/** The caller holds the environment. */
export async function changeEnvironment(
  tx: Db,
  request: Request,
  { ids }: Deps,
  before: store.LockedEnvironment,
  wanted: Wanted,
): Promise<void> {
  const { org, now } = request
  const { environment_id, name } = before
  const after = {
    description: wanted.description ?? before.description,
    include_scaling: wanted.include_scaling ?? before.include_scaling,
    require_provenance: wanted.require_provenance ?? before.require_provenance,
  }
  const revived = before.archived_at !== null
  const changes = FIELDS.filter(field => after[field] !== before[field])
  if (changes.length > 0 || revived) {
    const data = { environment_name: name, changes, revived }
    await store.updateEnvironment(tx, org.org_id, { environment_id, ...after, now })
    await record(tx, request, ids, { kind: 'environment_updated', environment_id, data })
  }
  const members = await replaceMembers(tx, org.org_id, environment_id, wanted.members)
  // Who may report to an environment, and so PUT it, may not choose what another one shows.
  if (members && !roleSuffices(org.role, 'member')) throw lacksRole()
  if (members) await membersChanged(tx, request, ids, before, members)
  // What it combines went on without it.
  else if (revived && before.type === LOGICAL)
    await takeLogicalSnapshot(tx, request, ids, byMembers(environment_id))
  if (wanted.policies) await setPolicies(tx, request, ids, { environment_id, name }, wanted.policies)
  // While it was archived nobody judged what it had left running.
  if (revived) await judgeNow(tx, request, ids, { environment_id, cause: 'evidence' })
}

interface Combination {
  included_environments?: string[] | null
  policies?: string[] | null
}

/**
 * Refuses what the type of the environment does not allow and holds the environments to be combined; undefined when they
 * stay as they are. An empty list is true of any type, and some clients send it.
 */
export async function holdIncluded(
  tx: Db,
  org: CallerOrg,
  { name, type }: { name: string; type: string },
  { included_environments: names, policies }: Combination,
): Promise<NamedEnvironment[] | undefined> {
  if (type === LOGICAL) {
    if (policies && policies.length > 0) {
      throw invalid({
        policies: `The logical environment '${name}' is judged by the policies of its members`,
      })
    }
    return names ? holdMembers(tx, org, names, place => `included_environments[${place}]`) : undefined
  }
  if (names && names.length > 0) {
    throw invalid({
      included_environments: `Only a logical environment includes others; '${name}' is of type '${type}'`,
    })
  }
  return undefined
}
