// The first start with an empty database: creates a user, their personal org, a shared org, an API key and a sign-in
// link.
import { hasUsers } from '../api/users/store.ts'
import { createHandedLink } from '../signin/links.ts'
import type { Admin } from './actor.ts'
import { mintKey, requireUserOwner } from './keys.ts'
import { ensureMember, ensureOrg, ensureUser } from './people.ts'
import { lockForFirstRun } from './store.ts'

export interface FirstRun {
  user: string
  org: string
  key: string
  /** Token of the sign-in link, which works once and expires after a day. */
  link_token: string
}

const FIRST_USER = 'admin'

/** Returns undefined if the database already has users. */
export async function setUpFirstRun(admin: Admin, org: string): Promise<FirstRun | undefined> {
  await lockForFirstRun(admin.tx)
  if (await hasUsers(admin.tx)) return undefined
  const user_id = await ensureUser(admin, { name: FIRST_USER, email: null, personal_org: true })
  const org_id = await ensureOrg(admin, { name: org, kind: 'shared', description: undefined, features: {} })
  await ensureMember(admin, { org_id, org, user_id, user: FIRST_USER, role: 'admin' })
  const key = await mintKey(admin, await requireUserOwner(admin, FIRST_USER), 'created at the first start')
  const link_token = await createHandedLink(admin.tx, admin.secrets, { user_id, now: admin.now })
  return { user: FIRST_USER, org, key, link_token }
}
