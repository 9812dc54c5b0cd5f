// GET /environments/{org}/{env_name}: one environment, by its name, an unused former name or its id.
import { defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { requireActive } from './problems.ts'
import * as store from './store.ts'
import { Environment, EnvironmentPath, toWire } from './wire.ts'

export const getEnvironment = defineOperation(
  {
    id: 'getEnvironment',
    method: 'GET',
    path: '/environments/{org}/{env_name}',
    tag: 'Environments',
    summary: 'Get an environment',
    description:
      'By its name, a former name that no other environment uses, or its id. The id also finds archived ones.',
    access: 'reader',
    audit: 'none: reads',
    params: EnvironmentPath,
    query: ArchivedQuery,
    returns: Environment,
    fails: [400, 403, 404],
  },
  async ({ params, query, org, now }, { db, base_url }) => {
    const found = await store.findEnvironmentOnce(db, org.org_id, params.env_name)
    return toWire(requireActive(found, org.name, params.env_name, query.archived), {
      org: org.name,
      base_url,
      now,
    })
  },
)
