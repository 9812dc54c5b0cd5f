// Required single sign-on, per organization or for the whole installation, and who may sign in without it.
import type { Role } from './roles.ts'

export type SignInMethod = 'sso' | 'link' | 'first-run'

/** The organization's sign-in settings. */
export interface SsoRule {
  sso_required?: boolean | undefined
  /** Names of admins who may sign in without single sign-on. */
  break_glass?: readonly string[] | undefined
}

/**
 * Whether the organization blocks a session. Only admins can break the glass: a name stays listed after its owner
 * loses the role.
 */
export function isSessionBlocked(
  { sso_required, break_glass }: SsoRule,
  session: { method: string; user: string; role: Role | string },
): boolean {
  if (sso_required !== true || session.method === 'sso') return false
  return session.role !== 'admin' || break_glass?.includes(session.user) !== true
}

/** The operator's sign-in settings. */
export interface InstallationSso {
  has_provider: boolean
  required: boolean
  /** Mail domains with an identity provider of their own. */
  mail_domains: readonly string[]
  /** Those whose provider answers for the people of one company. */
  vouching_domains: readonly string[]
  /** Names of users who may still sign in by mail. */
  break_glass: readonly string[]
}

/** Whether the user may sign in with a mailed link. */
export function mayUseLinks({ required, break_glass }: InstallationSso, user: string): boolean {
  return !required || break_glass.includes(user)
}
