// Trust rules as the outside sees them.
import { type Static, Type } from 'typebox'
import { FAMILIES, type Family } from '../../domain/key-scope.ts'
import { WILDCARD_CLAIMS } from '../../domain/keyless/rule.ts'
import { FLOW_NAME } from '../../domain/names.ts'
import { Closed, EpochSeconds, FreeText, Nullable, OneOf, toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { TrustRuleRow } from './store.ts'

const MAX_NAME = 255
const MAX_CLAIMS = 50

export const TrustRulesPath = Closed('TrustRulesPath', { org: Type.String() })
export const TrustRulePath = Closed('TrustRulePath', { org: Type.String(), name: Type.String() })

/** Never admin: whoever makes a rule is one, so that no rule gives more than its maker has. */
export const Privilege = OneOf(['member', 'snapshotter', 'reader'])

const Claims = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'TrustRuleClaims',
  description:
    'Claim to the value that the token must have. One of them pins the repository by its number: `repository_id` or ' +
    `\`project_id\`. A value may end in \`*\` in ${WILDCARD_CLAIMS.join(', ')}`,
  propertyNames: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_.:/\\-]*$', maxLength: 255 },
  additionalProperties: { type: 'string', minLength: 1, maxLength: 1024 },
  maxProperties: MAX_CLAIMS,
})

export const Operations = Type.Array(OneOf([...FAMILIES]), {
  uniqueItems: true,
  maxItems: FAMILIES.length,
  description:
    'What its keys may do, as far as the privilege allows: `read`; `report` trails, artifacts and what runs; `attest`; ' +
    '`administer`, which is everything else, such as overriding, approving and archiving. The first three unless told',
})

const CONTENT = {
  description: Type.Optional(FreeText),
  issuer: Type.String({ maxLength: 2048, description: 'One of those that the operator allows' }),
  audience: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Whom the token must be for; by default the address of the service, a slash and the org',
    }),
  ),
  claims: Claims,
  privilege: Privilege,
  operations: Type.Optional(Operations),
  flow_name: Type.Optional(
    Nullable(Type.String({ maxLength: MAX_NAME, description: 'The only flow that its keys are good for' })),
  ),
}

export const TrustRulePost = Closed('TrustRulePost', {
  name: Type.String({ pattern: FLOW_NAME, maxLength: MAX_NAME }),
  ...CONTENT,
})
export const TrustRulePut = Closed('TrustRulePut', CONTENT)
export type TrustRulePut = Static<typeof TrustRulePut>

export const TrustRule = Closed('TrustRule', {
  org: Type.String(),
  name: Type.String(),
  description: Type.String(),
  issuer: Type.String(),
  audience: Type.String(),
  claims: Claims,
  privilege: Privilege,
  operations: Operations,
  flow_name: Nullable(Type.String()),
  created_by: Type.String(),
  created_at: EpochSeconds,
  last_modified_at: EpochSeconds,
  last_used_at: Nullable(EpochSeconds),
})
export type TrustRule = Static<typeof TrustRule>

export const TrustRuleList = Type.Array(TrustRule, { title: 'TrustRuleList' })

export function toWire(row: TrustRuleRow, org: string): TrustRule {
  return {
    org,
    name: row.name,
    description: row.description,
    issuer: row.issuer,
    audience: row.audience,
    claims: { ...row.claims },
    privilege: row.privilege as TrustRule['privilege'],
    operations: row.operations as Family[],
    flow_name: row.flow_name,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    last_modified_at: toEpoch(row.last_modified_at),
    last_used_at: toEpochOrNull(row.last_used_at),
  }
}
