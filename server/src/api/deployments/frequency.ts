// GET /environments/{org}/{env_name}/deployment_frequency: how often artifacts were deployed to an
// environment, and their lead time from commit to deployment.
import type { Db } from '../../db/database.ts'
import { computeFrequency } from '../../domain/period.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { requireEnvironment } from '../environments/problems.ts'
import { EnvironmentPath } from '../environments/wire.ts'
import { requireFlow } from '../flows/problems.ts'
import { type CallerOrg, defineOperation } from '../operation.ts'
import { listPhysicalEnvironments } from '../shared/members-store.ts'
import { readPeriodOfDays } from '../shared/periods.ts'
import { toEpoch } from '../shared/wire.ts'
import { flowExists, readDeploymentStatistics } from './store.ts'
import { DeploymentFrequency, DeploymentFrequencyQuery } from './wire.ts'

const MAX_DAYS = 1830

export const getDeploymentFrequency = defineOperation(
  {
    id: 'getDeploymentFrequency',
    method: 'GET',
    path: '/environments/{org}/{env_name}/deployment_frequency',
    tag: 'Deployments',
    summary: 'Get how often artifacts are deployed to an environment',
    description:
      `Covers at most ${MAX_DAYS} days, in UTC. Give \`flow_name\` or \`flow_id\` to count the deployments of one ` +
      'flow only.',
    access: 'reader',
    audit: 'none: reads',
    params: EnvironmentPath,
    query: DeploymentFrequencyQuery,
    returns: DeploymentFrequency,
    fails: [400, 403, 404],
    example: { query: { from: '2026-02-01', to: '2026-03-01' } },
  },
  ({ params, query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const period = readPeriodOfDays(query, MAX_DAYS, now)
      const [environment, flow_id] = await Promise.all([
        requireEnvironment(tx, org, params.env_name, query.archived),
        resolveFlowId(tx, org, query),
      ])
      const sources = await listPhysicalEnvironments(tx, org.org_id, environment)
      const { days, lead_time } = await readDeploymentStatistics(tx, org.org_id, {
        environment_ids: sources.map(({ environment_id }) => environment_id),
        flow_id,
        from_at: period.from,
        to_at: period.to,
      })
      return {
        from: toEpoch(period.from),
        to: toEpoch(period.to),
        ...computeFrequency(period, days),
        lead_time,
      }
    }),
)

async function resolveFlowId(
  tx: Db,
  org: CallerOrg,
  { flow_name, flow_id, archived }: { flow_name?: string; flow_id?: string; archived?: boolean },
): Promise<string | null> {
  if (flow_name !== undefined && flow_id !== undefined) {
    throw invalid({ 'query.flow_id': 'Give flow_name or flow_id, not both' })
  }
  if (flow_name !== undefined) return requireFlow(tx, org, flow_name, archived)
  if (flow_id === undefined) return null
  const stored = parseWireId(flow_id)
  if (stored !== undefined && (await flowExists(tx, org.org_id, stored))) return stored
  throw notFound(`Flow with id '${flow_id}' does not exist for organization '${org.name}'`)
}
