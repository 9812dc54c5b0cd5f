// GET /user/default-org: the org that the caller's tools use if no org is given.
import { defineOperation } from '../operation.ts'
import { DefaultOrg } from './wire.ts'

export const getDefaultOrg = defineOperation(
  {
    id: 'getDefaultOrg',
    method: 'GET',
    path: '/user/default-org',
    tag: 'User',
    summary: 'Get the default organization of the caller',
    access: 'caller',
    audit: 'none: reads',
    returns: DefaultOrg,
    fails: [],
  },
  async ({ caller }) => ({ default_org_name: caller.default_org_name }),
)
