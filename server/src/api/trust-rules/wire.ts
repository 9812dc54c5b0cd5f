// API schemas of trust rules.
import { type Static, Type } from 'typebox'
import { FAMILIES, type Family } from '../../domain/key-scope.ts'
import { getIssuerKind, ISSUER_KIND_IDS, ISSUER_KINDS } from '../../domain/keyless/issuer-kinds.ts'
import { type Jwks, MAX_KEYS } from '../../domain/keyless/jwks.ts'
import { findKind, WILDCARD_CLAIMS } from '../../domain/keyless/rule.ts'
import { FLOW_NAME } from '../../domain/names.ts'
import { CreatedAt, CreatedBy, LastModifiedAt, OrgName } from '../shared/fields.ts'
import {
  about,
  Closed,
  Described,
  FreeText,
  Naming,
  Nullable,
  OneOf,
  Time,
  toEpoch,
  toEpochOrNull,
} from '../shared/wire.ts'
import type { TrustRuleRow } from './store.ts'

const MAX_NAME = 255
const MAX_CLAIMS = 50

export const TrustRulesPath = Closed('TrustRulesPath', { org: OrgName })
export const TrustRulePath = Closed('TrustRulePath', {
  org: OrgName,
  name: Type.String(about('Name of the trust rule', 'release-pipeline')),
})

/** Without admin. Only admins create rules, so no rule grants more than its creator has. */
export const Privilege = OneOf(['member', 'snapshotter', 'reader'])

const Claims = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'TrustRuleClaims',
  ...about(
    'The values that the claims of the token must have. One of them must be the pin of the kind of issuer, which ' +
      `identifies one repository, pipeline or account for good. A value may end in \`*\` in ${WILDCARD_CLAIMS.join(', ')}, ` +
      'unless it is the pin',
    { repository: 'acme/backend' },
  ),
  propertyNames: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_.:/\\-]*$', maxLength: 255 },
  additionalProperties: { type: 'string', minLength: 1, maxLength: 1024 },
  maxProperties: MAX_CLAIMS,
})

export const Operations = Type.Array(OneOf([...FAMILIES]), {
  uniqueItems: true,
  maxItems: FAMILIES.length,
  ...about(
    'Operations that its keys may perform, within the privilege: `read`; `report` trails, artifacts and snapshots; `attest`; ' +
      '`administer`, which is everything else, such as overriding, approving and archiving. Defaults to the first three',
    ['read', 'report', 'attest'],
  ),
})

const listKindsWithAudience = () =>
  ISSUER_KIND_IDS.filter(id => getIssuerKind(id).has_own_audience)
    .map(id => getIssuerKind(id).name)
    .join(', ')

const KIND = OneOf(ISSUER_KIND_IDS, {
  title: 'IssuerKind',
  ...about(
    'What issues the tokens, which decides the claim that the rule must pin: ' +
      Object.entries(ISSUER_KINDS)
        .map(([id, { pin }]) => `\`${id}\` \`${pin}\``)
        .join(', '),
    'github',
  ),
})

const Keys = Type.Unsafe<Jwks>({
  type: 'object',
  title: 'TrustRuleKeys',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_KEYS,
      items: { type: 'object', additionalProperties: true },
      description: 'Each with a `kid`, and without the members of a private key',
    },
  },
  additionalProperties: false,
  ...about(
    'Public keys (RFC 7517) for an issuer whose keys the service cannot fetch, such as that of a private cluster. ' +
      'They are never fetched then. Replace the rule to rotate them',
    {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          kid: 'cluster-1',
          alg: 'EdDSA',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
        },
      ],
    },
  ),
})

const CONTENT = {
  description: Type.Optional(
    Described(FreeText, 'Purpose of the trust rule', 'The release pipeline of the backend'),
  ),
  issuer: Type.String({
    maxLength: 2048,
    ...about(
      'One of the issuers that the operator allows, or any other with `jwks`',
      'https://token.actions.example.com',
    ),
  }),
  issuer_kind: Type.Optional(KIND),
  audience: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      ...about(
        'Expected audience of the token. Defaults to <service URL>/<organization>, except for ' +
          `${listKindsWithAudience()}, which choose it`,
        'https://waybill.example.com',
      ),
    }),
  ),
  claims: Claims,
  jwks: Type.Optional(Nullable(Keys)),
  privilege: Described(Privilege, 'Role of the issued keys', 'member'),
  operations: Type.Optional(Operations),
  flow_name: Type.Optional(
    Nullable(
      Naming(
        'flow',
        Type.String({
          maxLength: MAX_NAME,
          ...about('The only flow that its keys can access; null means all', 'backend-ci'),
        }),
      ),
    ),
  ),
}

export const TrustRulePost = Closed('TrustRulePost', {
  name: Type.String({
    pattern: FLOW_NAME,
    maxLength: MAX_NAME,
    ...about('Name of the trust rule, unique in the organization', 'release-pipeline'),
  }),
  ...CONTENT,
})
export const TrustRulePut = Closed('TrustRulePut', CONTENT)
export type TrustRulePut = Static<typeof TrustRulePut>

export const TrustRule = Closed('TrustRule', {
  org: OrgName,
  name: Type.String(about('Name of the trust rule, unique in the organization', 'release-pipeline')),
  description: Type.String(about('Purpose of the trust rule', 'The release pipeline of the backend')),
  issuer: Type.String(about('Expected issuer of the tokens', 'https://token.actions.example.com')),
  issuer_kind: KIND,
  audience: Type.String(about('Expected audience of the tokens', 'https://waybill.example.com')),
  claims: Claims,
  jwks: Nullable(Keys),
  privilege: Described(Privilege, 'Role of the issued keys', 'member'),
  operations: Operations,
  flow_name: Nullable(
    Type.String(),
    about('The only flow that the key can access; null means all', 'backend-ci'),
  ),
  created_by: CreatedBy,
  created_at: CreatedAt,
  last_modified_at: LastModifiedAt,
  last_used_at: Nullable(Time('Time of the last use; null means never')),
})
export type TrustRule = Static<typeof TrustRule>

export const TrustRuleList = Type.Array(TrustRule, { title: 'TrustRuleList' })

export function toWire(row: TrustRuleRow, org: string): TrustRule {
  return {
    org,
    name: row.name,
    description: row.description,
    issuer: row.issuer,
    issuer_kind: findKind(row) ?? 'generic',
    audience: row.audience,
    claims: { ...row.claims },
    jwks: row.jwks,
    privilege: row.privilege as TrustRule['privilege'],
    operations: row.operations as Family[],
    flow_name: row.flow_name,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    last_modified_at: toEpoch(row.last_modified_at),
    last_used_at: toEpochOrNull(row.last_used_at),
  }
}
