// DELETE /trust-rules/{org}/{name}: deletes the rule and invalidates the keys that it issued.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { summarizeRule } from './content.ts'
import { noSuchRule } from './problems.ts'
import * as store from './store.ts'
import { TrustRulePath } from './wire.ts'

export const deleteTrustRule = defineOperation(
  {
    id: 'deleteTrustRule',
    method: 'DELETE',
    path: '/trust-rules/{org}/{name}',
    tag: 'Keyless CI',
    summary: 'Delete a trust rule',
    description: 'The keys that it issued stop working immediately. Its name can be reused.',
    access: 'admin',
    recheck_caller: true,
    audit: 'trust_rule_deleted',
    params: TrustRulePath,
    returns: Ok,
    fails: [403, 404],
    example: { params: { name: 'rule-to-delete' } },
  },
  async (request, { db, ids, forgetCaller }) => {
    const { params, org, now } = request
    const { org_id } = org
    const rule_id = await db.withTransaction({ org_id }, async tx => {
      const rule = await store.lockRule(tx, org_id, params.name)
      if (!rule) throw noSuchRule(params.name, org.name)
      await store.deleteRule(tx, org_id, rule.rule_id, now)
      const data = { rule_name: rule.name, before: summarizeRule(rule), after: null }
      await recordEvent(tx, request, ids, { kind: 'trust_rule_deleted', data })
      return rule.rule_id
    })
    forgetCaller(rule_id)
    return OK
  },
)
