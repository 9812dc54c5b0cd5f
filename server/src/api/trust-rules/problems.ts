// The errors of trust rule operations.
import { isPublicIssuer } from '../../domain/keyless/issuer-kinds.ts'
import { listJwksProblems } from '../../domain/keyless/jwks.ts'
import { listRuleProblems } from '../../domain/keyless/rule.ts'
import { listUnusableKeys } from '../../keyless/import-keys.ts'
import { type AppError, conflict, invalid, notFound } from '../../lib/errors.ts'
import { parseUrl } from '../../lib/url.ts'
import type { TrustRulePut } from './wire.ts'

export function noSuchRule(name: string, org: string): AppError {
  return notFound(`Trust rule named '${name}' does not exist for organization '${org}'`)
}

export function ruleExists(name: string, org: string): AppError {
  return conflict(`A trust rule named '${name}' already exists in organization '${org}'`)
}

/** Reports all problems at once. Issuers that the operator does not allow are never contacted. */
export function refuseBadRule(rule: TrustRulePut, issuers: readonly string[]): void {
  const { jwks } = rule
  const errors = {
    ...(jwks ? listUnusableKeys(jwks) : {}),
    ...(jwks ? listJwksProblems(jwks) : {}),
    ...findIssuerProblem(rule, issuers),
    ...listRuleProblems(rule),
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

function findIssuerProblem(
  { issuer, jwks }: TrustRulePut,
  issuers: readonly string[],
): Record<string, string> {
  if (jwks) return findProblemWithOwnKeys(issuer, issuers)
  if (issuers.includes(issuer)) return {}
  const allowed = issuers.map(address => `'${address}'`).join(' or ')
  const sentence =
    allowed === ''
      ? 'No issuer is allowed here; ask the operator to configure one'
      : `Input should be ${allowed}`
  return { issuer: sentence }
}

/**
 * With their own keys for a public CI system, admins could record evidence in its name. Only its published keys may
 * speak for it.
 */
function findProblemWithOwnKeys(issuer: string, issuers: readonly string[]): Record<string, string> {
  if (!isPlainAddress(issuer)) {
    return { issuer: 'Input should be an https:// address in its usual form, as the tokens have it' }
  }
  const withoutSlash = issuer.replace(/\/$/, '')
  if (issuers.some(allowed => allowed.replace(/\/$/, '') === withoutSlash)) {
    return { jwks: 'The keys of this issuer are fetched; omit jwks' }
  }
  return isPublicIssuer(issuer)
    ? { jwks: 'This issuer publishes its keys; ask the operator to allow it, and omit jwks' }
    : {}
}

/** Another spelling of a known address, such as in capitals or with the port 443, would pass for that address. */
function isPlainAddress(issuer: string): boolean {
  const url = parseUrl(issuer)
  if (url?.protocol !== 'https:' || url.hostname.endsWith('.')) return false
  return `${url.origin}${url.pathname}`.replace(/\/$/, '') === issuer.replace(/\/$/, '')
}
