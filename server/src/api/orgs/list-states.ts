// GET /user/organizations: the organizations of the caller with the states of their environments, in one response.
import { type Static, Type } from 'typebox'
import { isTooOld } from '../../domain/api-key.ts'
import type { Role } from '../../domain/roles.ts'
import { isSessionBlocked } from '../../domain/single-sign-on.ts'
import { type Caller, defineOperation } from '../operation.ts'
import { isAllowedAddress } from '../shared/allowed-addresses.ts'
import { type EnterableOrg, listOrgStates, listOrgsWithSettings, type OrgStateRow } from './states-store.ts'
import { OrgWithState } from './wire.ts'

export const listOrgsWithStates = defineOperation(
  {
    id: 'listOrganizationStates',
    method: 'GET',
    path: '/user/organizations',
    tag: 'User',
    summary: 'List the organizations of the caller with the states of their environments',
    description:
      'For people only. Sorted by name. An organization that would refuse this request has no states: because it requires ' +
      'single sign-on, other addresses or a newer key.',
    access: 'user',
    audit: 'none: reads',
    reads: 'replica',
    returns: Type.Array(OrgWithState),
    fails: [403],
  },
  async ({ caller, address, now }, { db }) => {
    const orgs = await listOrgsWithSettings(db, caller.id)
    const org_ids = orgs.filter(org => mayEnter(org, caller, address, now)).map(({ org_id }) => org_id)
    const states = await listOrgStates(db, caller.id, { org_ids, now })
    const byId = new Map(states.map(state => [state.org_id, state]))
    return orgs.map(org => toWire(org, byId.get(org.org_id)))
  },
)

/** The same rules as for a request to the organization: http/credential-rules.ts and http/authenticate.ts. */
function mayEnter({ role, settings }: EnterableOrg, caller: Caller, address: string, now: Date): boolean {
  const { session_method: method, key_created_at, name: user } = caller
  if (method !== null && isSessionBlocked(settings, { method, user, role })) return false
  if (!isAllowedAddress(settings.allowed_addresses, address)) return false
  return !(key_created_at && isTooOld(key_created_at, settings.max_key_lifetime_days ?? null, now))
}

function toWire(
  { name, kind, role }: EnterableOrg,
  state: OrgStateRow | undefined,
): Static<typeof OrgWithState> {
  return {
    name,
    kind: kind === 'personal' ? 'personal' : 'shared',
    role: role as Role,
    environments: state
      ? {
          compliant: state.compliant,
          non_compliant: state.non_compliant,
          unknown: state.unknown,
          stale: state.stale,
        }
      : null,
    last_activity_at: state?.logged_ms == null ? null : state.logged_ms / 1000,
  }
}
