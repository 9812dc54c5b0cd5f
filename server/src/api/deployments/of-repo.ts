// GET /repos/{org}/{repo_id}/deployments and …/deployment-statistics: the deployments of one repository.
import { type Static, Type } from 'typebox'
import type { Database, Db } from '../../db/database.ts'
import { computeLengthInDays, type Period, resolvePeriod } from '../../domain/period.ts'
import { invalid } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { requireActive } from '../environments/problems.ts'
import { type CallerOrg, defineOperation } from '../operation.ts'
import { noSuchRepo } from '../repos/problems.ts'
import { findRepo } from '../repos/store.ts'
import { fromEpoch } from '../shared/epoch-times.ts'
import { EXAMPLE_ID, EXAMPLE_TIME } from '../shared/examples.ts'
import { EnvironmentName, OrgName, PeriodEnd, PeriodStart } from '../shared/fields.ts'
import { buildLinkedEnvelope, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import { requireOrder } from '../shared/periods.ts'
import { about, Closed, Naming, Nullable, toEpoch } from '../shared/wire.ts'
import { listSeries, listSources } from './repo-store.ts'
import { listDeployments } from './store.ts'
import { DEFAULT_DAYS, DeploymentListQuery, DeploymentPage, toWire } from './wire.ts'

const MAX_DAYS = 366
const MAX_ENVIRONMENTS = 100

const RepoIdPath = Closed('RepoIdPath', {
  org: OrgName,
  repo_id: Type.String(about('Id of the repository in Waybill', EXAMPLE_ID)),
})

const { page, per_page, start_ts, end_ts } = DeploymentListQuery.properties
const env = Type.Optional(
  Type.Array(Naming('environment', Type.String()), {
    maxItems: MAX_ENVIRONMENTS,
    ...about('Only deployments to this environment; may be repeated to include several', ['production']),
  }),
)
const StatisticsQuery = Closed('DeploymentStatisticsQuery', { env, start_ts, end_ts })

const Series = Closed('DeploymentSeries', {
  environment_name: EnvironmentName,
  deployed_at: Type.Array(
    Type.Number(),
    about('Time of each deployment, in epoch seconds, oldest first', [EXAMPLE_TIME]),
  ),
  lead_time_seconds: Type.Array(
    Nullable(Type.Number()),
    about('Seconds from commit to start of each, in the same order; null if unknown', [5400]),
  ),
})

export const listDeploymentsOfRepo = defineOperation(
  {
    id: 'listDeploymentsOfRepo',
    method: 'GET',
    path: '/repos/{org}/{repo_id}/deployments',
    tag: 'Deployments',
    summary: 'List the deployments of a repository, newest first',
    description: 'A logical environment stands for its members',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: RepoIdPath,
    query: Closed('RepoDeploymentsQuery', { page, per_page, env, start_ts, end_ts }),
    returns: DeploymentPage,
    fails: [400, 403, 404],
  },
  async ({ params, query, org, now, url }, { db, base_url }) => {
    const { from, to } = readRange(query, now)
    const repo_id = await requireRepoId(db, org.org_id, params.repo_id)
    const requested = readLinkedPageRequest(query)
    const { rows, total } = await db.withTransaction({ org_id: org.org_id }, async tx => {
      const environment_ids = await requireSources(tx, org, query.env)
      const filter = { from_at: from, to_at: to, environment_ids, flow_id: null, repo_ids: [repo_id] }
      return listDeployments(tx, org.org_id, filter, toSlice(requested))
    })
    return {
      deployments: rows.map(row => toWire(row, { base_url, org: org.name })),
      ...buildLinkedEnvelope(url, query, requested, total),
    }
  },
)

export const getDeploymentStatistics = defineOperation(
  {
    id: 'getDeploymentStatistics',
    method: 'GET',
    path: '/repos/{org}/{repo_id}/deployment-statistics',
    tag: 'Deployments',
    summary: 'Get the times and lead times of the deployments of a repository',
    description:
      `For at most ${MAX_DAYS} days, by environment: those that it was deployed to in the period. A logical ` +
      'environment stands for its members.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: RepoIdPath,
    query: StatisticsQuery,
    returns: Closed('DeploymentStatistics', {
      start_ts: PeriodStart,
      end_ts: PeriodEnd,
      environments: Type.Array(Series, about('Environments by name, each with its deployments')),
    }),
    fails: [400, 403, 404],
  },
  async ({ params, query, org, now }, { db }) => {
    const { from, to } = readRange(query, now)
    if (computeLengthInDays({ from, to }) > MAX_DAYS) {
      throw invalid({ 'query.start_ts': `The period should be at most ${MAX_DAYS} days long` })
    }
    const repo_id = await requireRepoId(db, org.org_id, params.repo_id)
    const environments = await db.withTransaction({ org_id: org.org_id }, async tx => {
      const environment_ids = await requireSources(tx, org, query.env)
      return listSeries(tx, org.org_id, { repo_id, environment_ids, from_at: from, to_at: to })
    })
    return { start_ts: toEpoch(from), end_ts: toEpoch(to), environments: [...environments] }
  },
)

async function requireRepoId(db: Database, org_id: string, wire_id: string): Promise<string> {
  const repo_id = parseWireId(wire_id)
  const repo = repo_id && (await findRepo(db, org_id, repo_id))
  if (!repo) throw noSuchRepo(wire_id)
  return repo.repo_id
}

type Range = Pick<Static<typeof StatisticsQuery>, 'start_ts' | 'end_ts'>

function readRange(query: Range, now: Date): Period {
  const given = { from: fromEpoch(query.start_ts), to: fromEpoch(query.end_ts) }
  return requireOrder(resolvePeriod(given, DEFAULT_DAYS, now), 'start_ts')
}

/** The ids of the named environments and of their members; null without names. Throws a 404 for an unknown name. */
async function requireSources(tx: Db, org: CallerOrg, names: string[] = []): Promise<string[] | null> {
  if (names.length === 0) return null
  const found = new Map((await listSources(tx, org.org_id, names)).map(source => [source.wanted, source]))
  const ids = names.flatMap(name => requireActive(found.get(name), org.name, name).environment_ids)
  return [...new Set(ids)]
}
