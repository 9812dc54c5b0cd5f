// GET /deployments/{org}: artifacts that started to run, newest first.

import type { Db } from '../../db/database.ts'
import { resolvePeriod } from '../../domain/period.ts'
import { requireEnvironment } from '../environments/problems.ts'
import { requireFlow } from '../flows/problems.ts'
import { type CallerOrg, defineOperation } from '../operation.ts'
import { requireRepoIds } from '../repos/problems.ts'
import { fromEpoch } from '../shared/epoch-times.ts'
import { OrgPath } from '../shared/fields.ts'
import { listPhysicalEnvironments } from '../shared/members-store.ts'
import { buildLinkedEnvelope, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import { requireOrder } from '../shared/periods.ts'
import * as store from './store.ts'
import { DEFAULT_DAYS, DeploymentListQuery, DeploymentPage, toWire } from './wire.ts'

export const listDeployments = defineOperation(
  {
    id: 'listDeployments',
    method: 'GET',
    path: '/deployments/{org}',
    tag: 'Deployments',
    summary: 'List deployments, newest first',
    description:
      'A deployment is an artifact that started to run in an environment. An artifact that was reported to ' +
      'several flows is listed once, with the data of the first flow. With `flow_name`, it has the data of that flow.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: DeploymentListQuery,
    returns: DeploymentPage,
    fails: [400, 403, 404],
    example: { query: { page: '1', per_page: '15' } },
  },
  ({ query, org, now, url }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const given = { from: fromEpoch(query.start_ts), to: fromEpoch(query.end_ts) }
      const { from, to } = requireOrder(resolvePeriod(given, DEFAULT_DAYS, now), 'start_ts')
      const { env_name, flow_name, repo_name } = query
      const [environment_ids, flow_id, repo_ids] = await Promise.all([
        env_name === undefined ? null : requireSources(tx, org, env_name, query.archived),
        flow_name === undefined ? null : requireFlow(tx, org, flow_name, query.archived),
        repo_name === undefined ? null : requireRepoIds(tx, org.org_id, [repo_name]),
      ])
      const page = readLinkedPageRequest(query)
      const filter = { from_at: from, to_at: to, environment_ids, flow_id, repo_ids }
      const { rows, total } = await store.listDeployments(tx, org.org_id, filter, toSlice(page))
      const site = { base_url, org: org.name }
      return {
        deployments: rows.map(row => toWire(row, site)),
        ...buildLinkedEnvelope(url, query, page, total),
      }
    }),
)

async function requireSources(
  tx: Db,
  org: CallerOrg,
  env_name: string,
  archived?: boolean,
): Promise<string[]> {
  const environment = await requireEnvironment(tx, org, env_name, archived)
  const sources = await listPhysicalEnvironments(tx, org.org_id, environment)
  return sources.map(({ environment_id }) => environment_id)
}
