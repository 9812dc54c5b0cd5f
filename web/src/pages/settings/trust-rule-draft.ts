// A trust rule while it is edited, and its conversion to and from the API.
import type { Schemas } from '../../parts/schemas.ts'
import { BUILD_OPERATIONS, type Operation } from './operations-field.tsx'
import { type IssuerKind, KINDS } from './trust-rule-kinds.ts'

export type TrustRule = Schemas['TrustRule']
export type Privilege = TrustRule['privilege']

/** An issuer for examples, which most services allow. */
export const CI_ISSUER = 'https://token.actions.githubusercontent.com'

export interface Claim {
  key: number
  claim: string
  value: string
}

export interface RuleDraft {
  name: string
  description: string
  issuer: string
  issuer_kind: IssuerKind
  audience: string
  claims: Claim[]
  /** JSON, as it is typed. */
  jwks: string
  privilege: Privilege
  operations: readonly Operation[]
  flow_name: string
}

export const NEW_RULE: RuleDraft = {
  name: '',
  description: '',
  issuer: '',
  issuer_kind: 'github',
  audience: '',
  claims: [{ key: 0, claim: KINDS.github.pin, value: '' }],
  jwks: '',
  privilege: 'member',
  operations: BUILD_OPERATIONS,
  flow_name: '',
}

export function toDraft(rule: TrustRule): RuleDraft {
  const { flow_name, jwks, ...same } = rule
  const claims = Object.entries(rule.claims).map(([claim, value], key) => ({ key, claim, value }))
  return {
    ...same,
    claims,
    jwks: jwks === null ? '' : JSON.stringify(jwks, null, 2),
    flow_name: flow_name ?? '',
  }
}

/** Without the name, which cannot be changed. */
export function toContent(draft: RuleDraft): Schemas['TrustRulePut'] {
  const { description, issuer, issuer_kind, audience, claims, jwks, privilege, operations, flow_name } = draft
  return {
    description,
    issuer: issuer.trim(),
    issuer_kind,
    ...(audience !== '' && { audience }),
    claims: Object.fromEntries(claims.map(({ claim, value }) => [claim.trim(), value.trim()])),
    jwks: jwks.trim() === '' ? null : JSON.parse(jwks),
    privilege,
    operations: [...operations],
    flow_name: flow_name === '' ? null : flow_name,
  }
}

export const isDuplicate = (claims: readonly Claim[], { claim }: Claim) =>
  claims.filter(each => each.claim.trim() === claim.trim()).length > 1

/** Replaces the pin of the previous kind with that of the new one. */
export function changeKind({ claims, issuer_kind }: RuleDraft, chosen: IssuerKind): Partial<RuleDraft> {
  const [old_pin, pin] = [KINDS[issuer_kind].pin, KINDS[chosen].pin]
  const others = claims.filter(({ claim }) => claim !== old_pin && claim !== pin)
  const key = Math.max(-1, ...claims.map(each => each.key)) + 1
  return { issuer_kind: chosen, claims: [{ key, claim: pin, value: '' }, ...others] }
}

/** Whether the typed keys are empty or valid JSON. */
export function isReadable(jwks: string): boolean {
  if (jwks.trim() === '') return true
  try {
    return Array.isArray(JSON.parse(jwks)?.keys)
  } catch {
    return false
  }
}
