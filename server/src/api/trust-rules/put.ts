// PUT /trust-rules/{org}/{name}: replaces the rule. Keys that were already issued follow the new rule.
import { applyPatch } from '../../domain/trail/changes.ts'
import { recordEvent } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { defineOperation } from '../operation.ts'
import { buildContent, summarizeRule } from './content.ts'
import { noSuchRule, refuseBadRule } from './problems.ts'
import * as store from './store.ts'
import { TrustRule, TrustRulePath, TrustRulePut, toWire } from './wire.ts'

export const putTrustRule = defineOperation(
  {
    id: 'putTrustRule',
    method: 'PUT',
    path: '/trust-rules/{org}/{name}',
    tag: 'Keyless CI',
    summary: 'Change a trust rule',
    description:
      'Replaces the whole rule: omitted fields get their defaults, and omitted `jwks` are removed. Keys that were already ' +
      'issued get its new privilege and flow.',
    access: 'admin',
    recheck_caller: true,
    audit: 'trust_rule_changed',
    params: TrustRulePath,
    body: TrustRulePut,
    returns: TrustRule,
    fails: [400, 403, 404],
    example: {
      params: { name: 'rule-to-change' },
      body: {
        description: 'All branches, read-only',
        issuer: 'https://token.actions.githubusercontent.com',
        claims: { repository_id: '74', ref: 'refs/heads/*' },
        privilege: 'reader',
      },
    },
  },
  async (request, { db, ids, ciTokens, base_url, forgetCaller }) => {
    const { params, body, org, now } = request
    refuseBadRule(body, ciTokens.issuers)
    const { org_id } = org
    const row = await db.withTransaction({ org_id }, async tx => {
      const rule = await store.lockRule(tx, org_id, params.name)
      if (!rule) throw noSuchRule(params.name, org.name)
      const content = await buildContent(tx, org, body, base_url)
      const [before, after] = [summarizeRule(rule), summarizeRule(content)]
      const isUnchanged = applyPatch(before, after).changes.length === 0 && content.flow_id === rule.flow_id
      if (isUnchanged) return rule
      await store.updateRule(tx, org_id, { ...content, rule_id: rule.rule_id, now })
      const data = { rule_name: rule.name, before, after }
      await recordEvent(tx, request, ids, { kind: 'trust_rule_changed', data })
      return store.findRule(tx, org_id, rule.name)
    })
    assert(row, 'a locked rule cannot disappear')
    forgetCaller(row.rule_id)
    return toWire(row, org.name)
  },
)
