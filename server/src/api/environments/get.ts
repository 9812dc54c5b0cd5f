// GET /environments/{org}/{env_name}: one environment, also under a former name that nobody took.
import { operation } from '../operation.ts'
import { live } from './problems.ts'
import * as store from './store.ts'
import { Environment, EnvironmentPath, toWire } from './wire.ts'

export const getEnvironment = operation(
  {
    id: 'getEnvironment',
    method: 'GET',
    path: '/environments/{org}/{env_name}',
    tag: 'Environments',
    summary: 'Get an environment',
    access: 'reader',
    audit: 'none: reads',
    params: EnvironmentPath,
    returns: Environment,
    fails: [403, 404],
  },
  async ({ params, org }, { db, base_url }) => {
    const found = await store.findEnvironmentOnce(db, org.org_id, params.env_name)
    return toWire(live(found, org.name, params.env_name), { org: org.name, base_url })
  },
)
