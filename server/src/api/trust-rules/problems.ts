// The errors of trust rule operations.
import { listClaimProblems } from '../../domain/keyless/rule.ts'
import { type AppError, conflict, invalid, notFound } from '../../lib/errors.ts'
import type { TrustRulePut } from './wire.ts'

export function noSuchRule(name: string, org: string): AppError {
  return notFound(`Trust rule named '${name}' does not exist for organization '${org}'`)
}

export function ruleExists(name: string, org: string): AppError {
  return conflict(`A trust rule named '${name}' already exists in organization '${org}'`)
}

/** Reports all problems at once. Issuers that the operator does not allow are never contacted. */
export function refuseBadRule({ issuer, claims }: TrustRulePut, issuers: readonly string[]): void {
  const errors = new Map<string, string>()
  if (!issuers.includes(issuer)) {
    const allowed = issuers.map(address => `'${address}'`).join(' or ')
    errors.set(
      'issuer',
      allowed === ''
        ? 'No issuer is allowed here; ask the operator to configure one'
        : `Input should be ${allowed}`,
    )
  }
  for (const { claim, sentence } of listClaimProblems(claims)) {
    errors.set(claim === undefined ? 'claims' : `claims.${claim}`, sentence)
  }
  if (errors.size > 0) throw invalid(Object.fromEntries(errors))
}
