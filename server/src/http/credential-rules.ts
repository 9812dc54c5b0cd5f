// Checks a caller's rights to an operation: the role, and the restrictions of an organization or a key beyond the
// role: client addresses, the age of the key, and the operations, flows and environments it is limited to.

import type { Caller, CallerOrg, Contract } from '../api/operation.ts'
import { isAllowedAddress } from '../api/shared/allowed-addresses.ts'
import type { Database } from '../db/database.ts'
import { isTooOld } from '../domain/api-key.ts'
import { type Family, findNamedProblem, findScopeProblem, hasPlaceLimits } from '../domain/key-scope.ts'
import { isRole, isRoleAtLeast } from '../domain/roles.ts'
import { accessDenied, forbidden, roleRequired, ssoRequired } from '../lib/errors.ts'
import type { Identity } from './auth-cache.ts'
import { listNamedInInput, listNamedInPath, resolveNamed } from './named-objects.ts'

export interface CheckedRequest {
  contract: Contract
  /** The network address of the client. */
  address: string
  path: Readonly<Record<string, string>>
  now: Date
}

export interface AdmittedRequest extends CheckedRequest {
  /** The path of the URL. */
  url_path: string
}

/** Checks that the caller may enter the organization of the path, if the operation needs one. */
export function checkAdmission({ caller, org, sso_required_by }: Identity, request: AdmittedRequest): void {
  const { access } = request.contract
  checkKeyAddress(caller, request.address)
  if (sso_required_by !== undefined && !org) throw ssoRequired(sso_required_by)
  if (access === 'user' && caller.kind !== 'user') throw roleRequired()
  if (isRole(access) && !org) throw accessDenied(request.url_path)
  if (org && !org.is_visitor) checkOrgRules(caller, org, request)
}

export function checkRole({ org }: Identity, { access, auditors }: Contract): void {
  if (!isRole(access) || !org) return
  if (auditors && org.role === 'auditor') return
  if (!isRoleAtLeast(org.role, access)) throw roleRequired()
}

/** Checked before any organization is involved. */
function checkKeyAddress({ allowed_addresses }: Caller, address: string): void {
  if (!isAllowedAddress(allowed_addresses, address)) {
    throw forbidden(`This key may not be used from ${address}`)
  }
}

/** For members of the organization; visitors may read whatever is public. */
function checkOrgRules(caller: Caller, { name, settings }: CallerOrg, request: CheckedRequest): void {
  const { address, now } = request
  if (!isAllowedAddress(settings.allowed_addresses, address)) {
    throw forbidden(`The organization '${name}' may not be reached from ${address}`)
  }
  const max_days = settings.max_key_lifetime_days ?? null
  if (caller.kind === 'user' && caller.key_created_at && isTooOld(caller.key_created_at, max_days, now)) {
    throw forbidden(
      `The organization '${name}' accepts keys for ${max_days} days after they were created; create a new one`,
    )
  }
}

/** Before the body is read: the kind of operation, and the places that the path names. */
export async function checkScope(
  db: Database,
  { scope }: Caller,
  org: CallerOrg | undefined,
  { contract, path }: CheckedRequest,
): Promise<void> {
  const isLimited = org && hasPlaceLimits(scope)
  const named = isLimited ? await resolveNamed(db, org.org_id, listNamedInPath(contract, path)) : []
  const problem = findScopeProblem(scope, { family: getFamily(contract), path: named })
  if (problem !== undefined) throw forbidden(problem)
}

/** Everything that query and body name. */
export async function checkNamedInput(
  db: Database,
  { caller, org }: { caller?: Caller | undefined; org?: CallerOrg | undefined },
  contract: Contract,
  sent: { query: unknown; body: unknown },
): Promise<void> {
  if (!caller || !org || !hasPlaceLimits(caller.scope)) return
  const named = await resolveNamed(db, org.org_id, listNamedInInput(contract, sent))
  const problem = findNamedProblem(caller.scope, named)
  if (problem !== undefined) throw forbidden(problem)
}

function getFamily({ family, method, audit }: Contract): Family {
  if (family) return family
  return method === 'GET' || audit === 'none: reads' || audit === 'none: computes' ? 'read' : 'administer'
}
