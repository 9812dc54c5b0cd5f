// The errors of trust rule operations.
import { findKnownKind } from '../../domain/keyless/issuer-kinds.ts'
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
 * An admin who could give a public CI system keys of their own would record evidence in its name. The keys that it
 * publishes are the only ones that may speak for it.
 */
function findProblemWithOwnKeys(issuer: string, issuers: readonly string[]): Record<string, string> {
  if (issuers.includes(issuer)) return { jwks: 'The keys of this issuer are fetched; omit jwks' }
  if (findKnownKind(issuer) !== undefined) {
    return { jwks: 'This issuer publishes its keys; ask the operator to allow it, and omit jwks' }
  }
  const url = parseUrl(issuer)
  const isPlain =
    url?.protocol === 'https:' && `${url.username}${url.password}${url.search}${url.hash}` === ''
  return isPlain && !/[\s?#@\\]/.test(issuer)
    ? {}
    : { issuer: 'Input should be an https:// address, as the tokens have it' }
}
