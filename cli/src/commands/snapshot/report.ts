// Sends an environment report.
import { fillPath } from '../../http/api.ts'
import type { Context } from '../../program/context.ts'
import type { Exit } from '../../program/exit-codes.ts'
import { text, toggle } from '../../program/flags.ts'
import { Problem } from '../../program/problem.ts'
import { buildReportBody, type Observation } from '../../reporters/observation.ts'
import { recordWrite } from '../record.ts'

export const CREATE_FLAGS = {
  'auto-environment': toggle('create the environment if it does not exist'),
  'environment-description': text('the description of an environment that is created', {
    placeholder: '<text>',
  }),
} as const

export interface CreateValues {
  'auto-environment': boolean
  'environment-description': string | undefined
}

export interface Target {
  environment: string
  /** As in the operation's path. */
  type: 'K8S' | 'docker' | 'server' | 'ECS' | 'lambda' | 'S3'
}

export async function reportEnvironment(
  { environment, type }: Target,
  observation: Observation,
  context: Context,
): Promise<Exit> {
  const { elements, missing } = observation
  for (const what of missing) context.output.say(`Not seen: ${what}`)
  const kind = missing.length > 0 ? ', a partial view' : ''
  return recordWrite(
    {
      method: 'PUT',
      template: `/environments/{org}/{env_name}/report/${type}`,
      params: { env_name: environment },
      stream: `environment/${environment}`,
      json: buildReportBody(observation, context.system.version),
      describe: () => `Reported ${elements.length} artifacts to environment ${environment}${kind}`,
    },
    context,
  )
}

/**
 * For `--auto-environment`. If the service is down, the report waits in the spool, and only the environment
 * is not created.
 */
export async function createMissing(target: Target, flags: CreateValues, context: Context): Promise<void> {
  if (!flags['auto-environment'] || context.is_dry_run) return
  try {
    await createUnlessFound(target, flags['environment-description'] ?? '', context)
  } catch (error) {
    if (!(error instanceof Problem) || error.exit !== 'unreachable') throw error
    context.output.say(`It is not known whether environment ${target.environment} exists: ${error.message}`)
  }
}

async function createUnlessFound(
  { environment, type }: Target,
  description: string,
  { api, org }: Context,
): Promise<void> {
  try {
    const path = fillPath('/environments/{org}/{env_name}', { org, env_name: environment })
    await api.call({ method: 'GET', path })
  } catch (error) {
    if (!(error instanceof Problem) || error.exit !== 'not_found') throw error
    const json = { name: environment, type, description }
    await api.call({ method: 'PUT', path: fillPath('/environments/{org}', { org }), json })
  }
}
