// Single sign-on that is required, by an org or by the whole installation, and who may come in without it.
import type { Role } from './roles.ts'

export type SignInMethod = 'sso' | 'link' | 'first-run'

/** What an org says of signing in. */
export interface SsoRule {
  sso_required?: boolean | undefined
  /** Names of admins who may come in without it. */
  break_glass?: readonly string[] | undefined
}

/** Whether the org keeps a session out. Only admins can break the glass: the name stays listed when the role goes. */
export function isSessionBlocked(
  { sso_required, break_glass }: SsoRule,
  session: { method: string; user: string; role: Role | string },
): boolean {
  if (sso_required !== true || session.method === 'sso') return false
  return session.role !== 'admin' || break_glass?.includes(session.user) !== true
}

/** What the operator says of signing in. */
export interface InstallationSso {
  has_provider: boolean
  required: boolean
  /** Names of users who may still come in by mail. */
  break_glass: readonly string[]
}

/** Whether somebody may come in by a mailed link. */
export function mayUseLinks({ required, break_glass }: InstallationSso, user: string): boolean {
  return !required || break_glass.includes(user)
}
