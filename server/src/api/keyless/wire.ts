// API schemas of the token exchange.
import { Type } from 'typebox'
import { Closed, EpochSeconds, Nullable } from '../shared/wire.ts'
import { Operations, Privilege } from '../trust-rules/wire.ts'

/** Several times the size of the tokens that CI systems issue. */
const MAX_TOKEN = 16_384

export const ExchangePath = Closed('ExchangePath', { org: Type.String() })

export const TokenExchange = Closed('TokenExchange', {
  token: Type.String({
    maxLength: MAX_TOKEN,
    writeOnly: true,
    description: 'The OIDC token that the CI system gave the job',
  }),
})

export const CiKey = Closed('CiKey', {
  key: Type.String({ description: 'An API key; shown only once' }),
  expires_at: EpochSeconds,
  rule: Type.String({ description: 'The trust rule that matched' }),
  privilege: Privilege,
  operations: Operations,
  flow_name: Nullable(Type.String({ description: 'The only flow that the key can access; null for all' })),
})
