// POST /keyless/{org}/exchange: exchanges the OIDC token of a CI job for a short-lived key. A refusal reveals nothing:
// not whether the organization exists, nor what its rules require.
import type { Db } from '../../db/database.ts'
import { evaluateToken, type TokenReason } from '../../domain/keyless/evaluate-token.ts'
import { findRepositoryClaim } from '../../domain/keyless/rule.ts'
import { recordEvent } from '../../events/record.ts'
import type { VerifiedToken } from '../../keyless/ci-tokens.ts'
import { unauthenticated } from '../../lib/errors.ts'
import type { NewToken } from '../../lib/secrets.ts'
import { Answer, type Deps, defineOperation } from '../operation.ts'
import { toEpoch } from '../shared/wire.ts'
import { listRulesByIssuer, type TrustRuleRow } from '../trust-rules/store.ts'
import type { TrustRule } from '../trust-rules/wire.ts'
import * as store from './store.ts'
import { CiKey, ExchangePath, TokenExchange } from './wire.ts'

const KEY_LIFETIME_MS = 900_000
/** Limits how many unmatched rules one refusal writes to the log. */
const MAX_LOGGED_RULES = 20

type Refusal = string | { rule: string; reasons: TokenReason[] }[]

interface RuleMatch {
  rule: TrustRuleRow
  subject: string
}

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
    const refuse = (reasons: Refusal) => {
      deps.ciTokens.noteRefusal({ org: params.org, request_id, reasons })
      return unauthenticated('The token is not accepted')
    }
    // Verified before the organization is looked up, so that the response does not reveal whether it exists.
    const token = await deps.ciTokens.verify(body.token)
    if (typeof token === 'string') throw refuse(token)
    const org_id = await store.findActiveOrg(deps.db, params.org)
    if (org_id === undefined) throw refuse('the organization does not exist')
    const key = deps.secrets.createToken('ci')
    const expires_at = new Date(request.now.getTime() + KEY_LIFETIME_MS)
    const rule = await deps.db.withTransaction({ org_id }, async tx => {
      const match = findMatchingRule(await listRulesByIssuer(tx, org_id, token.issuer), token, request.now)
      if (!('rule' in match)) throw refuse(match)
      const isFirst = await issueKey(tx, org_id, { token, key, expires_at, match }, request, deps)
      if (!isFirst) throw refuse('the token was already exchanged')
      return match.rule
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

/** Returns the first rule that the token matches, or the reasons why each rule did not match. */
function findMatchingRule(
  rules: readonly TrustRuleRow[],
  { claims }: VerifiedToken,
  now: Date,
): RuleMatch | { rule: string; reasons: TokenReason[] }[] {
  const mismatches: { rule: string; reasons: TokenReason[] }[] = []
  for (const rule of rules) {
    const verdict = evaluateToken(rule, claims, now)
    if (verdict.ok) return { rule, subject: verdict.subject }
    mismatches.push({ rule: rule.name, reasons: verdict.reasons })
  }
  return mismatches.slice(0, MAX_LOGGED_RULES)
}

interface KeyToIssue {
  token: VerifiedToken
  key: NewToken
  expires_at: Date
  match: RuleMatch
}

/** Returns false if the token was already exchanged, also by a concurrent request. */
async function issueKey(
  tx: Db,
  org_id: string,
  { token, key, expires_at, match: { rule, subject } }: KeyToIssue,
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
  const claim = findRepositoryClaim(rule.claims) ?? ''
  const data = {
    rule_name: rule.name,
    issuer: token.issuer,
    subject,
    repository: { [claim]: rule.claims[claim] },
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
