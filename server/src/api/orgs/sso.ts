// Checks before an organization requires single sign-on: a provider must exist, and the caller must keep access.
import type { Db } from '../../db/database.ts'
import type { OrgSettings } from '../../domain/org-settings.ts'
import { isSessionBlocked } from '../../domain/single-sign-on.ts'
import { invalid } from '../../lib/errors.ts'
import type { Caller, CallerOrg, Deps } from '../operation.ts'
import { listNonAdmins } from './store.ts'

const NO_PROVIDER = 'No identity provider is configured; ask the operator to set one up'
const LOCKED_OUT =
  'You would lock yourself out: sign in through single sign-on first, or add yourself to break_glass'
const NOBODY_LEFT = 'With an API key, add an admin to break_glass who may sign in without single sign-on'

/** Throws a 400 that names the field. Call it in the transaction that saves the settings. */
export async function refuseLockOut(
  tx: Db,
  { caller, org, sso }: { caller: Caller; org: CallerOrg; sso: Deps['sso'] },
  before: OrgSettings,
  after: OrgSettings,
): Promise<void> {
  const { sso_required = false, break_glass = [] } = after
  const field = before.sso_required === sso_required ? 'settings.break_glass' : 'settings.sso_required'
  const [stranger] = break_glass.length === 0 ? [] : await listNonAdmins(tx, org.org_id, break_glass)
  if (stranger !== undefined) {
    throw invalid({ 'settings.break_glass': `'${stranger}' is not an admin of organization '${org.name}'` })
  }
  if (!sso_required) return
  if (!sso.has_provider) throw invalid({ 'settings.sso_required': NO_PROVIDER })
  if (caller.session_method === null) {
    if (break_glass.length === 0) throw invalid({ [field]: NOBODY_LEFT })
  } else if (isSessionBlocked(after, { method: caller.session_method, user: caller.name, role: org.role })) {
    throw invalid({ [field]: LOCKED_OUT })
  }
}
