// GET /environments/{org}/{env_name}/deployments: the deployments to one environment, newest first.
import { requireEnvironment } from '../environments/problems.ts'
import { EnvironmentPath } from '../environments/wire.ts'
import { defineOperation } from '../operation.ts'
import { listPhysicalEnvironments } from '../shared/members-store.ts'
import { buildPageLinks, toSlice } from '../shared/page.ts'
import { readPeriod } from '../shared/periods.ts'
import { toEpoch } from '../shared/wire.ts'
import { listDeployments } from './store.ts'
import { EnvironmentDeploymentPage, EnvironmentDeploymentsQuery, toWire } from './wire.ts'

const DEFAULT_PAGE_SIZE = 15

export const listDeploymentsOfEnvironment = defineOperation(
  {
    id: 'listDeploymentsOfEnvironment',
    method: 'GET',
    path: '/environments/{org}/{env_name}/deployments',
    tag: 'Deployments',
    summary: 'List the deployments to an environment, newest first',
    description: `${DEFAULT_PAGE_SIZE} per page by default. For a logical environment, lists those to its members.`,
    access: 'reader',
    audit: 'none: reads',
    params: EnvironmentPath,
    query: EnvironmentDeploymentsQuery,
    returns: EnvironmentDeploymentPage,
    fails: [400, 403, 404],
    example: { query: { from: '2026-02-01T00:00:00Z', page: '1', page_size: '15' } },
  },
  ({ params, query, org, now, url }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { from, to } = readPeriod(query, now)
      const environment = await requireEnvironment(tx, org, params.env_name, query.archived)
      const sources = await listPhysicalEnvironments(tx, org.org_id, environment)
      const { page = 1, page_size = DEFAULT_PAGE_SIZE } = query
      const { rows, total } = await listDeployments(
        tx,
        org.org_id,
        {
          from_at: from,
          to_at: to,
          environment_ids: sources.map(({ environment_id }) => environment_id),
          flow_id: null,
          repo_ids: null,
        },
        toSlice({ page, per_page: page_size }),
      )
      const site = { base_url, org: org.name }
      const total_pages = Math.ceil(total / page_size)
      return {
        deployments: rows.map(row => toWire(row, site)),
        from: toEpoch(from),
        to: toEpoch(to),
        page,
        page_size,
        total_pages,
        total_count: total,
        _links: buildPageLinks(url, query, page, total_pages),
      }
    }),
)
