// API schemas of the token exchange.
import { Type } from 'typebox'
import { ExpiresAt, OrgName } from '../shared/fields.ts'
import { about, Closed, Described, Nullable } from '../shared/wire.ts'
import { Operations, Privilege } from '../trust-rules/wire.ts'

/** Several times the size of the tokens that CI systems issue. */
const MAX_TOKEN = 16_384

export const ExchangePath = Closed('ExchangePath', { org: OrgName })

export const TokenExchange = Closed('TokenExchange', {
  token: Type.String({
    maxLength: MAX_TOKEN,
    writeOnly: true,
    description: 'The OIDC token that the CI system gave the job',
  }),
})

export const CiKey = Closed('CiKey', {
  key: Type.String(about('An API key; shown only once', 'wb_ci_0123456789ab_secret')),
  expires_at: ExpiresAt,
  rule: Type.String(about('The trust rule that matched', 'attestation')),
  privilege: Described(Privilege, 'Role of the key', 'member'),
  operations: Operations,
  flow_name: Nullable(
    Type.String(about('The only flow that the key can access; null means all', 'backend-ci')),
  ),
})
