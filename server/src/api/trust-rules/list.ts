// GET /trust-rules/{org}: every trust rule, in the order in which they are matched.
import { defineOperation } from '../operation.ts'
import * as store from './store.ts'
import { TrustRuleList, TrustRulesPath, toWire } from './wire.ts'

export const listTrustRules = defineOperation(
  {
    id: 'listTrustRules',
    method: 'GET',
    path: '/trust-rules/{org}',
    tag: 'Keyless CI',
    summary: 'List trust rules',
    description: 'Sorted by name, which is the order in which they are matched.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: TrustRulesPath,
    returns: TrustRuleList,
    fails: [403],
  },
  async ({ org }, { db }) => {
    const rows = await store.listRules(db, org.org_id)
    return rows.map(row => toWire(row, org.name))
  },
)
