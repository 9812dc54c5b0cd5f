// GET /scim-tokens/{org}: the active SCIM tokens, without their secrets.
import { defineOperation } from '../operation.ts'
import { listTokens } from './store.ts'
import { ScimTokenList, ScimTokensPath, toWire } from './wire.ts'

export const listScimTokens = defineOperation(
  {
    id: 'listScimTokens',
    method: 'GET',
    path: '/scim-tokens/{org}',
    tag: 'SCIM tokens',
    summary: 'List the SCIM tokens of an organization',
    description: 'Active tokens, oldest first.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: ScimTokensPath,
    returns: ScimTokenList,
    fails: [403],
  },
  async ({ org, now }, { db }) => (await listTokens(db, org.org_id, now)).map(toWire),
)
