// Changes an existing environment, for PUT and PATCH. Omitted fields keep their values. An archived environment, which
// only PUT finds, is restored with the fields of the request.
import type { Db } from '../../db/database.ts'
import { isRoleAtLeast } from '../../domain/roles.ts'
import { DEFAULT_REPORT_INTERVAL_S } from '../../domain/snapshot/staleness.ts'
import { evaluateEnvironment } from '../../evaluation/evaluate-environment.ts'
import { buildMembersRequest, takeLogicalSnapshots } from '../../evaluation/logical-snapshot.ts'
import { recordEvent } from '../../events/record.ts'
import { invalid, roleRequired } from '../../lib/errors.ts'
import type { Caller, CallerOrg, Deps } from '../operation.ts'
import { LOGICAL, lockMembers, recordMemberChanges, replaceMembers } from './members/change.ts'
import type { NamedEnvironment } from './members/store.ts'
import { setPolicies } from './policies/set.ts'
import { clearBeforeRevival } from './revive.ts'
import * as store from './store.ts'

/** The part of a request that a change needs. */
export interface Request {
  readonly org: CallerOrg
  readonly caller: Caller
  readonly now: Date
  readonly request_id: string
}

/** Undefined means unchanged. */
export type RequestedFields = {
  [field in keyof store.EnvironmentFields]?: store.EnvironmentFields[field] | undefined
}

export interface RequestedChange extends RequestedFields {
  /** Locked by the caller. */
  members: readonly NamedEnvironment[] | undefined
  policies?: readonly string[] | null | undefined
}

const FIELDS = Object.keys(store.FIELDS) as (keyof store.EnvironmentFields)[]

/** Values of a new environment for the fields that the request omits. */
export function getDefaultFields(type: string): store.EnvironmentFields {
  return {
    client_type: null,
    description: '',
    include_scaling: false,
    require_provenance: false,
    expected_report_interval: type === LOGICAL ? null : DEFAULT_REPORT_INTERVAL_S,
  }
}

/** The caller has locked the environment. */
export async function changeEnvironment(
  tx: Db,
  request: Request,
  deps: Deps,
  before: store.LockedEnvironment,
  requested: RequestedChange,
): Promise<void> {
  const { org, now } = request
  const { ids } = deps
  const { environment_id, name } = before
  const revived = before.archived_at !== null
  const after = applyDefaults(requested, revived ? getDefaultFields(before.type) : before)
  const tags = revived ? {} : before.tags
  const changes = FIELDS.filter(field => after[field] !== before[field])
  if (changes.length > 0 || revived) {
    const data = { environment_name: name, changes, revived }
    await store.updateEnvironment(tx, org.org_id, { environment_id, ...after, tags, now })
    await recordEvent(tx, request, ids, { kind: 'environment_updated', environment_id, data })
  }
  if (revived) await clearBeforeRevival(tx, request, deps, before)
  const isLogical = before.type === LOGICAL
  const newMembers = requested.members ?? (revived && isLogical ? [] : undefined)
  const members = await replaceMembers(tx, org.org_id, environment_id, newMembers)
  // A snapshotter may PUT an environment, but must not choose the members of a logical one.
  if (members && requested.members && !isRoleAtLeast(org.role, 'member')) throw roleRequired()
  if (members) await recordMemberChanges(tx, request, ids, [before], members)
  // Its members kept changing while it was archived.
  else if (revived && isLogical)
    await takeLogicalSnapshots(tx, request, ids, buildMembersRequest(environment_id))
  if (requested.policies) await setPolicies(tx, request, deps, { environment_id, name }, requested.policies)
  // Nothing was evaluated while it was archived.
  if (revived) await evaluateEnvironment(tx, request, deps, { environment_id, cause: 'evidence' })
}

/** Null is a value; only undefined falls back to the default. */
export function applyDefaults(
  requested: RequestedFields,
  defaults: store.EnvironmentFields,
): store.EnvironmentFields {
  const chosen = FIELDS.map(field => [
    field,
    requested[field] === undefined ? defaults[field] : requested[field],
  ])
  return Object.fromEntries(chosen) as store.EnvironmentFields
}

interface Combination {
  included_environments?: string[] | null
  policies?: string[] | null
  expected_report_interval?: number | null
}

/**
 * Rejects fields that the type of the environment does not allow and locks the members to be included. Returns
 * undefined if the members stay as they are. Every type accepts an empty list, because some clients always send one.
 */
export async function lockIncluded(
  tx: Db,
  org: CallerOrg,
  { name, type }: { name: string; type: string },
  { included_environments: names, policies, expected_report_interval }: Combination,
): Promise<NamedEnvironment[] | undefined> {
  if (type === LOGICAL) {
    if (expected_report_interval) {
      throw invalid({
        expected_report_interval: `The logical environment '${name}' does not accept reports; set this on its members`,
      })
    }
    if (policies && policies.length > 0) {
      throw invalid({
        policies: `The logical environment '${name}' is evaluated by the policies of its members`,
      })
    }
    return names ? lockMembers(tx, org, names, position => `included_environments[${position}]`) : undefined
  }
  if (names && names.length > 0) {
    throw invalid({
      included_environments: `Only a logical environment includes others; '${name}' is of type '${type}'`,
    })
  }
  return undefined
}
