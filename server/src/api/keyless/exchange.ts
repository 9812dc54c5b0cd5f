// POST /keyless/{org}/exchange: exchanges the OIDC token of a CI job for a short-lived key. A rejection reveals
// nothing: neither whether the organization exists, nor what its rules require.
import type { Db } from '../../db/database.ts'
import { findKind, findPin } from '../../domain/keyless/rule.ts'
import { recordEvent } from '../../events/record.ts'
import type { CiTokens, Refusal } from '../../keyless/ci-tokens.ts'
import { OrgMoved, unauthenticated } from '../../lib/errors.ts'
import type { NewToken } from '../../lib/secrets.ts'
import { Answer, type Deps, defineOperation } from '../operation.ts'
import { toEpoch } from '../shared/wire.ts'
import type { TrustRule } from '../trust-rules/wire.ts'
import { findMatchingRule, type ReadToken, type RuleMatch } from './find-match.ts'
import * as store from './store.ts'
import { CiKey, ExchangePath, TokenExchange } from './wire.ts'

const KEY_LIFETIME_MS = 900_000
const NO_ORG = '00000000-0000-0000-0000-000000000000'

interface Exchange {
  readonly params: { org: string }
  readonly now: Date
  readonly request_id: string
}

export const exchangeToken = defineOperation(
  {
    id: 'exchangeToken',
    method: 'POST',
    path: '/keyless/{org}/exchange',
    tag: 'Keyless CI',
    summary: 'Exchange the token of a CI job for a key',
    description:
      'The token is an OIDC token that the CI system issued to the job for the audience of a trust rule. If several ' +
      'rules match, the first by name decides what the key may do. The key is valid for 15 minutes. A token can be ' +
      'exchanged once; a job that lost the response must request another token from its CI system. Only the log of ' +
      'the service says why a token was not accepted.',
    access: 'public',
    limited_as: 'exchange',
    audit: 'ci_key_issued',
    params: ExchangePath,
    body: TokenExchange,
    returns: CiKey,
    creates: true,
    fails: [400, 401, 503],
    example: { body: { token: 'the-token-of-the-job' } },
  },
  async (request, deps) => {
    const { params, body, request_id } = request
    const refuse = (reasons: Refusal['reasons']) => {
      deps.ciTokens.noteRefusal({ org: params.org, request_id, reasons })
      return unauthenticated('The token is not accepted')
    }
    const token = await readToken(body.token, deps.ciTokens)
    if (typeof token === 'string') throw refuse(token)
    const found = await store.findActiveOrg(deps.db, params.org)
    // An unknown organization costs as much as one without a matching rule.
    const org_id = found ?? NO_ORG
    const key = deps.secrets.createToken('ci')
    const expires_at = new Date(request.now.getTime() + KEY_LIFETIME_MS)
    const issue = deps.db.withTransaction({ org_id }, async tx => {
      const where = { org_id, now: request.now, ciTokens: deps.ciTokens }
      const match = await findMatchingRule(tx, where, token)
      if (found === undefined) throw refuse('the organization does not exist')
      if (typeof match === 'string' || Array.isArray(match)) throw refuse(match)
      const isFirst = await issueKey(tx, org_id, { key, expires_at, match }, request, deps)
      if (!isFirst) throw refuse('the token was already exchanged')
      return match.rule
    })
    const rule = await issue.catch(error => {
      throw error instanceof OrgMoved ? refuse('another cell serves the organization') : error
    })
    return new Answer(201, {
      key: key.key,
      expires_at: toEpoch(expires_at),
      rule: rule.name,
      privilege: rule.privilege as TrustRule['privilege'],
      operations: rule.operations as TrustRule['operations'],
      flow_name: rule.flow_name,
    })
  },
)

/**
 * A token from an allowed issuer is verified before the organization is looked up, so that the response does not
 * reveal whether it exists. Only a rule of the organization can have keys for another issuer. Returns a sentence for
 * a rejected token.
 */
async function readToken(text: string, ciTokens: CiTokens): Promise<ReadToken | string> {
  const sent = ciTokens.read(text)
  if (typeof sent === 'string') return sent
  if (!ciTokens.issuers.includes(sent.issuer)) return { sent, published: undefined }
  const published = await ciTokens.verify(sent)
  return typeof published === 'string' ? published : { sent, published }
}

interface KeyToIssue {
  key: NewToken
  expires_at: Date
  match: RuleMatch
}

/** Returns false if the token was already exchanged, even by a concurrent request. */
async function issueKey(
  tx: Db,
  org_id: string,
  { key, expires_at, match: { rule, token, subject } }: KeyToIssue,
  { now, request_id }: Exchange,
  { ids }: Deps,
): Promise<boolean> {
  const isFirst = await store.insertCiKey(tx, org_id, {
    key_id: ids.next(),
    rule_id: rule.rule_id,
    key_hash: key.secret_hash,
    subject: `${token.issuer} ${subject}`,
    token_hash: token.token_hash,
    now,
    expires_at,
  })
  if (!isFirst) return false
  const pin = findPin(rule) ?? ''
  const data = {
    rule_name: rule.name,
    issuer: token.issuer,
    subject,
    issuer_kind: findKind(rule),
    keys: rule.jwks === null ? 'published' : 'of_the_rule',
    repository: pin === 'sub' ? null : { [pin]: rule.claims[pin] },
    privilege: rule.privilege,
    operations: rule.operations,
    flow_name: rule.flow_name,
    hint: key.hint,
    expires_at: toEpoch(expires_at),
  }
  const context = { org: { org_id }, caller: { name: `ci:${rule.name}` }, now, request_id }
  await recordEvent(tx, context, ids, { kind: 'ci_key_issued', data })
  return true
}
