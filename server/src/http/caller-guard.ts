// Guards the transactions of operations that change credentials or permissions: each first reads the caller again,
// under a lock, and goes on only if the caller is still allowed to. A key revoked, or an admin demoted, since the
// request was admitted cannot undo that, whatever any process's auth cache contains.
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

/** The handler decides by the rights known at admission, so these must not exceed the caller's rights now. */
function refuseLessPower(before: Identity, now: Identity): void {
  if (before.org && !(now.org && isRoleAtLeast(now.org.role, before.org.role))) throw roleRequired()
  const isSameScope = JSON.stringify(before.caller.scope) === JSON.stringify(now.caller.scope)
  if (!isSameScope) throw forbidden('What this key may be used for has just changed; send the request again')
}
