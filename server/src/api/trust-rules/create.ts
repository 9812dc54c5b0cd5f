// POST /trust-rules/{org}: creates a rule that gives keys to CI jobs with matching tokens.
import { recordEvent } from '../../events/record.ts'
import { Answer, defineOperation } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { buildContent, summarizeRule } from './content.ts'
import { noSuchRule, refuseBadRule, ruleExists } from './problems.ts'
import * as store from './store.ts'
import { TrustRule, TrustRulePost, TrustRulesPath, toWire } from './wire.ts'

export const createTrustRule = defineOperation(
  {
    id: 'createTrustRule',
    method: 'POST',
    path: '/trust-rules/{org}',
    tag: 'Keyless CI',
    summary: 'Create a trust rule',
    description:
      'CI jobs whose token matches the issuer, the audience and all claims of the rule can exchange it for a key with the ' +
      'given privilege that is valid for 15 minutes, for all flows or for one. The repository, pipeline or account is ' +
      'identified by what never changes, because someone else may take over its name.',
    access: 'admin',
    recheck_caller: true,
    audit: 'trust_rule_created',
    params: TrustRulesPath,
    body: TrustRulePost,
    returns: TrustRule,
    creates: true,
    fails: [400, 403, 404, 409, 422],
    example: {
      body: {
        name: 'backend-main',
        description: 'Builds of the backend’s main branch',
        issuer: 'https://token.actions.githubusercontent.com',
        claims: { repository_id: '74', ref: 'refs/heads/main' },
        privilege: 'member',
      },
    },
  },
  async (request, { db, ids, ciTokens, base_url }) => {
    const { body, org, caller, now } = request
    const { name } = body
    refuseBadRule(body, ciTokens.issuers)
    const idempotency = buildIdempotencyClaim(request)
    const { org_id } = org
    const row = await db.withTransaction({ org_id }, async tx => {
      const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 === null) {
        const content = await buildContent(tx, org, body, base_url)
        const rule = { ...content, rule_id: ids.next(), name, created_by: caller.name, now }
        if (!(await store.insertRule(tx, org_id, rule))) throw ruleExists(name, org.name)
        const data = { rule_name: name, before: null, after: summarizeRule(content) }
        await recordEvent(tx, request, ids, { kind: 'trust_rule_created', data })
      }
      return store.findRule(tx, org_id, name)
    })
    if (!row) throw noSuchRule(name, org.name)
    return new Answer(201, toWire(row, org.name))
  },
)
