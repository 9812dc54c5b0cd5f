// Trust rules: what a rule may require of a token. A repository name can change owner, so a rule pins a repository by
// the claim that its kind of issuer has for this; all other claims narrow it down.
import { findKnownKind, getIssuerKind, ISSUER_KIND_IDS, type IssuerKindId } from './issuer-kinds.ts'
import type { Jwks } from './jwks.ts'

/** Claim to required value. */
export type ExpectedClaims = Readonly<Record<string, string>>

export interface TokenRule {
  readonly issuer: string
  /** Null in rules that predate kinds. */
  readonly issuer_kind: string | null
  readonly audience: string
  readonly claims: ExpectedClaims
}

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
  'build_branch',
  'build_tag',
  'oidc.circleci.com/vcs-ref',
]

/** Always checked, whatever the rule requires. */
const RESERVED_CLAIMS = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']

/** The kinds of rules from before a rule could name its kind; their claims tell them apart. */
const KINDS_BY_CLAIM: readonly IssuerKindId[] = ['github', 'gitlab']

const isKind = (id: string | null): id is IssuerKindId => ISSUER_KIND_IDS.some(each => each === id)

/** The kind of a rule that names none: by its claims, else by the issuer's address. */
export function inferKind(issuer: string, claims: ExpectedClaims): IssuerKindId | undefined {
  return KINDS_BY_CLAIM.find(id => Object.hasOwn(claims, getIssuerKind(id).pin)) ?? findKnownKind(issuer)
}

/** Undefined for a kind that this version does not know. */
export function findKind({
  issuer,
  issuer_kind,
  claims,
}: Pick<TokenRule, 'issuer' | 'issuer_kind' | 'claims'>): IssuerKindId | undefined {
  if (issuer_kind === null) return inferKind(issuer, claims)
  return isKind(issuer_kind) ? issuer_kind : undefined
}

/** The claim that pins the rule; undefined if there is none, in which case the rule must match no token. */
export function findPin(rule: Pick<TokenRule, 'issuer' | 'issuer_kind' | 'claims'>): string | undefined {
  const kind = findKind(rule)
  const pin = kind && getIssuerKind(kind).pin
  return pin !== undefined && Object.hasOwn(rule.claims, pin) ? pin : undefined
}

export interface ProposedRule {
  issuer: string
  issuer_kind?: IssuerKindId | undefined
  audience?: string | undefined
  claims: ExpectedClaims
  jwks?: Jwks | null | undefined
}

/** Field to sentence: every reason to reject the rule, except for its issuer and its keys; empty if it is valid. */
export function listRuleProblems(rule: ProposedRule): Record<string, string> {
  const { issuer, claims } = rule
  const id = rule.issuer_kind ?? inferKind(issuer, claims)
  if (id === undefined) {
    return { issuer_kind: `Say what kind of issuer this is: ${ISSUER_KIND_IDS.join(', ')}` }
  }
  const kind = getIssuerKind(id)
  const problems: Record<string, string> = {}
  const known = findKnownKind(issuer)
  if (rule.issuer_kind !== undefined && known !== undefined && known !== id) {
    problems.issuer_kind = `The issuer is of the kind ${known}`
  }
  if (kind.has_own_audience && rule.audience === undefined) {
    problems.audience = `${kind.name} chooses the audience of its tokens: name it`
  }
  if (!Object.hasOwn(claims, kind.pin)) {
    problems.claims = `A rule for ${kind.name} must pin one by the claim ${kind.pin}`
  }
  for (const [claim, value] of Object.entries(claims)) {
    const sentence = findClaimProblem(claim, value, id)
    if (sentence !== undefined) problems[`claims.${claim}`] = sentence
  }
  return problems
}

function findClaimProblem(claim: string, value: string, id: IssuerKindId): string | undefined {
  if (RESERVED_CLAIMS.includes(claim)) return 'This claim is always checked and cannot be part of a rule'
  const pinned = [id, ...KINDS_BY_CLAIM].map(getIssuerKind).find(({ pin }) => pin === claim)
  if (pinned) return pinned.format.test(value) ? undefined : pinned.expected
  const star = value.indexOf('*')
  if (star === -1) return undefined
  if (!WILDCARD_CLAIMS.includes(claim)) {
    return `A wildcard is allowed only in ${WILDCARD_CLAIMS.join(', ')}`
  }
  if (star === 0) return 'A wildcard needs something before it; omit the claim to accept any value'
  return star === value.length - 1 ? undefined : 'A wildcard is allowed only at the end'
}
