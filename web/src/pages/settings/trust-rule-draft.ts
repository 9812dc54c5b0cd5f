// A trust rule while it is edited, and its conversion to and from the API.
import type { Schemas } from '../../parts/schemas.ts'
import { BUILD_OPERATIONS, type Operation } from './operations-field.tsx'

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
  audience: string
  claims: Claim[]
  privilege: Privilege
  operations: readonly Operation[]
  flow_name: string
}

export const NEW_RULE: RuleDraft = {
  name: '',
  description: '',
  issuer: '',
  audience: '',
  claims: [{ key: 0, claim: 'repository_id', value: '' }],
  privilege: 'member',
  operations: BUILD_OPERATIONS,
  flow_name: '',
}

export function toDraft(rule: TrustRule): RuleDraft {
  const { name, description, issuer, audience, privilege, operations, flow_name } = rule
  const claims = Object.entries(rule.claims).map(([claim, value], key) => ({ key, claim, value }))
  return { name, description, issuer, audience, claims, privilege, operations, flow_name: flow_name ?? '' }
}

/** Without the name, which cannot be changed. */
export function toContent(draft: RuleDraft): Schemas['TrustRulePut'] {
  const { description, issuer, audience, claims, privilege, operations, flow_name } = draft
  return {
    description,
    issuer: issuer.trim(),
    ...(audience !== '' && { audience }),
    claims: Object.fromEntries(claims.map(({ claim, value }) => [claim.trim(), value.trim()])),
    privilege,
    operations: [...operations],
    flow_name: flow_name === '' ? null : flow_name,
  }
}

export const isDuplicate = (claims: readonly Claim[], { claim }: Claim) =>
  claims.filter(each => each.claim.trim() === claim.trim()).length > 1
