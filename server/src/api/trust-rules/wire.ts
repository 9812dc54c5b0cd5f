// API schemas of trust rules.
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

/** Without admin. Only admins create rules, so no rule grants more than its creator has. */
export const Privilege = OneOf(['member', 'snapshotter', 'reader'])

const Claims = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'TrustRuleClaims',
  description:
    'The values that the claims of the token must have. One of them must identify the repository by number: ' +
    `\`repository_id\` or \`project_id\`. A value may end in \`*\` in ${WILDCARD_CLAIMS.join(', ')}`,
  propertyNames: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_.:/\\-]*$', maxLength: 255 },
  additionalProperties: { type: 'string', minLength: 1, maxLength: 1024 },
  maxProperties: MAX_CLAIMS,
})

export const Operations = Type.Array(OneOf([...FAMILIES]), {
  uniqueItems: true,
  maxItems: FAMILIES.length,
  description:
    'What its keys may do, within the privilege: `read`; `report` trails, artifacts and snapshots; `attest`; ' +
    '`administer`, which is everything else, such as overriding, approving and archiving. Defaults to the first three',
})

const CONTENT = {
  description: Type.Optional(FreeText),
  issuer: Type.String({ maxLength: 2048, description: 'One of the issuers that the operator allows' }),
  audience: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Expected audience of the token. Defaults to <service URL>/<organization>',
    }),
  ),
  claims: Claims,
  privilege: Privilege,
  operations: Type.Optional(Operations),
  flow_name: Type.Optional(
    Nullable(
      Type.String({
        maxLength: MAX_NAME,
        description: 'The only flow that its keys work for; null for all flows',
      }),
    ),
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
