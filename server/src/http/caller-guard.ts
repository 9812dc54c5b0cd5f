// Guards the transactions of operations that change credentials or what somebody may do: each first reads the caller
// again, under a lock, and goes on only if the caller still may. A key that was revoked, or an admin who was demoted,
// since the request was admitted cannot undo it, whatever the auth cache of any process says.
import type { Guard } from '../db/database.ts'
import { isRoleAtLeast } from '../domain/roles.ts'
import { forbidden, roleRequired } from '../lib/errors.ts'
import type { Authenticator, Identity, Presented } from './authenticate.ts'
import { type AdmittedRequest, checkAdmission, checkRole } from './credential-rules.ts'

export interface Admitted {
  presented: Presented
  org_name: string | undefined
  identity: Identity
  request: AdmittedRequest
}

export function makeCallerGuard(authenticator: Authenticator, admitted: Admitted): Guard {
  const { presented, org_name, identity, request } = admitted
  const again = authenticator.prepareSecondLook(presented, org_name, identity)
  return {
    scope: again.scope,
    check: async tx => {
      try {
        const current = await again.identify(tx)
        checkAdmission(current, request)
        checkRole(current, request.contract)
        refuseLessPower(identity, current)
      } catch (error) {
        authenticator.forget(identity.caller.id)
        throw error
      }
    },
  }
}

/** The handler decides with what was known at admission, so that must not be more than what is true now. */
function refuseLessPower(before: Identity, now: Identity): void {
  if (before.org && !(now.org && isRoleAtLeast(now.org.role, before.org.role))) throw roleRequired()
  const isSameScope = JSON.stringify(before.caller.scope) === JSON.stringify(now.caller.scope)
  if (!isSameScope) throw forbidden('What this key may be used for has just changed; send the request again')
}
