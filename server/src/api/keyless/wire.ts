// The exchange of a token for a key as the outside sees it.
import { Type } from 'typebox'
import { Closed, EpochSeconds, Nullable } from '../shared/wire.ts'
import { Operations, Privilege } from '../trust-rules/wire.ts'

/** Several times what CI systems issue. */
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
  key: Type.String({ description: 'An API key; shown this once' }),
  expires_at: EpochSeconds,
  rule: Type.String({ description: 'The trust rule that let it in' }),
  privilege: Privilege,
  operations: Operations,
  flow_name: Nullable(Type.String({ description: 'The only flow it is good for' })),
})
