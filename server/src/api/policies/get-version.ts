// GET /policies/{org}/{name}/versions/{version}: one version, with its parsed rules.
import { defineOperation } from '../operation.ts'
import { noSuchPolicy } from '../shared/policy-problems.ts'
import { noSuchVersion } from './problems.ts'
import * as store from './store.ts'
import { listPolicyWarnings } from './warnings.ts'
import { PolicyVersionDetail, PolicyVersionPath, toWireVersion } from './wire.ts'

export const getPolicyVersion = defineOperation(
  {
    id: 'getPolicyVersion',
    method: 'GET',
    path: '/policies/{org}/{name}/versions/{version}',
    tag: 'Policies',
    summary: 'Get one version of a policy',
    description:
      'Includes the rules as they are applied, and warnings about expressions that are probably not intended.',
    access: 'reader',
    audit: 'none: reads',
    params: PolicyVersionPath,
    returns: PolicyVersionDetail,
    fails: [400, 403, 404],
    example: { params: { name: 'policy-to-read', version: '1' } },
  },
  async ({ params, org }, { db }) => {
    const { name, version } = params
    const policy = await store.findPolicyVersion(db, org.org_id, name, version)
    if (!policy) throw noSuchPolicy(name, org.name)
    const { found, latest_version } = policy
    if (!found) throw noSuchVersion(version, name)
    const { parsed } = found
    return {
      org: org.name,
      policy_name: name,
      ...toWireVersion(found),
      is_latest: version === latest_version,
      policy_dump: parsed,
      warnings: await db.withTransaction({ org_id: org.org_id }, tx =>
        listPolicyWarnings(tx, org.org_id, parsed),
      ),
    }
  },
)
