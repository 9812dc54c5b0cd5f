// What a trust rule may ask of a token. Names of repositories change hands, so a rule pins the repository by the number
// that it keeps for ever; everything else it asks narrows that down.

/** Claim to the text it must have. */
export type ExpectedClaims = Readonly<Record<string, string>>

export interface TokenRule {
  readonly issuer: string
  readonly audience: string
  readonly claims: ExpectedClaims
}

/** The number of the repository, as the CI systems call it. */
export const REPOSITORY_CLAIMS = ['repository_id', 'project_id'] as const

/**
 * Where a value may end in `*`, which stands for any rest: what is made of branches, files and environments. Everything
 * else names one thing (a repository, an owner, a person), and a beginning of a name is somebody else's name too.
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

/** What is judged by itself, whatever a rule says. */
const RESERVED_CLAIMS = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']

const NUMBER_OF_REPOSITORY = /^[0-9]{1,20}$/

export interface ClaimProblem {
  /** Undefined when the claims as a whole are wrong. */
  claim?: string
  sentence: string
}

/** Every reason why a rule with these claims is refused; none when it may be stored. */
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
    return `A wildcard is taken only in ${WILDCARD_CLAIMS.join(', ')}`
  }
  if (star === 0) return 'A wildcard needs something before it; leave the claim out to take any value'
  return star === value.length - 1 ? undefined : 'A wildcard is taken only at the end'
}
