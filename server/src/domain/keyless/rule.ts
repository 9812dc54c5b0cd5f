// The claims that a trust rule may require of a CI token. Repository names can change owner, so a rule pins the
// repository by its permanent number; all other claims narrow it down.

/** Claim to required value. */
export type ExpectedClaims = Readonly<Record<string, string>>

export interface TokenRule {
  readonly issuer: string
  readonly audience: string
  readonly claims: ExpectedClaims
}

/** The claims for the repository number, by CI system. */
export const REPOSITORY_CLAIMS = ['repository_id', 'project_id'] as const

/**
 * Claims whose value may end in `*` for any suffix: those derived from branches, files and environments. All others
 * name one thing (a repository, an owner, a person), and a prefix would also match names of other owners.
 */
export const WILDCARD_CLAIMS: readonly string[] = [
  'sub',
  'ref',
  'ref_path',
  'environment',
  'workflow_ref',
  'job_workflow_ref',
  'ci_config_ref_uri',
]

/** Always checked, whatever the rule says. */
const RESERVED_CLAIMS = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']

const NUMBER_OF_REPOSITORY = /^[0-9]{1,20}$/

export interface ClaimProblem {
  /** Undefined if the problem concerns all claims together. */
  claim?: string
  sentence: string
}

/** Every reason to reject a rule with these claims; empty if it is valid. */
export function listClaimProblems(claims: ExpectedClaims): ClaimProblem[] {
  const problems: ClaimProblem[] = []
  if (findRepositoryClaim(claims) === undefined) {
    const names = REPOSITORY_CLAIMS.join(' or ')
    problems.push({ sentence: `A rule must pin the repository by its number: ${names}` })
  }
  for (const [claim, value] of Object.entries(claims)) {
    const sentence = findClaimProblem(claim, value)
    if (sentence !== undefined) problems.push({ claim, sentence })
  }
  return problems
}

/** The claim that pins the repository. */
export function findRepositoryClaim(claims: ExpectedClaims): string | undefined {
  return REPOSITORY_CLAIMS.find(claim => Object.hasOwn(claims, claim))
}

function findClaimProblem(claim: string, value: string): string | undefined {
  if (RESERVED_CLAIMS.includes(claim)) return 'This claim is always checked and cannot be part of a rule'
  if (REPOSITORY_CLAIMS.some(name => name === claim)) {
    return NUMBER_OF_REPOSITORY.test(value) ? undefined : 'Input should be the number of the repository'
  }
  const star = value.indexOf('*')
  if (star === -1) return undefined
  if (!WILDCARD_CLAIMS.includes(claim)) {
    return `A wildcard is allowed only in ${WILDCARD_CLAIMS.join(', ')}`
  }
  if (star === 0) return 'A wildcard needs something before it; omit the claim to accept any value'
  return star === value.length - 1 ? undefined : 'A wildcard is allowed only at the end'
}
