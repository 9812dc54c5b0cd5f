// GET /trust-rules/{org}/{name}: one trust rule.
import { defineOperation } from '../operation.ts'
import { noSuchRule } from './problems.ts'
import * as store from './store.ts'
import { TrustRule, TrustRulePath, toWire } from './wire.ts'

export const getTrustRule = defineOperation(
  {
    id: 'getTrustRule',
    method: 'GET',
    path: '/trust-rules/{org}/{name}',
    tag: 'Keyless CI',
    summary: 'Get a trust rule',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    params: TrustRulePath,
    returns: TrustRule,
    fails: [403, 404],
    example: { params: { name: 'rule-to-read' } },
  },
  async ({ params, org }, { db }) => {
    const rule = await store.findRuleOnce(db, org.org_id, params.name)
    if (!rule) throw noSuchRule(params.name, org.name)
    return toWire(rule, org.name)
  },
)
