// Sends what was observed in an environment.
import { fillPath } from '../../http/api.ts'
import type { Context } from '../../program/context.ts'
import type { Exit } from '../../program/exit-codes.ts'
import { Problem } from '../../program/problem.ts'
import { compact } from '../flags.ts'
import { recordWrite } from '../record.ts'

export interface Observed {
  /** Name to SHA-256. */
  digests: Readonly<Record<string, string>>
  creationTimestamp: number
}

export interface Report {
  environment: string
  /** As in the path of the operation. */
  type: string
  artifacts: readonly object[]
  creates?: boolean
  description?: string | undefined
}

export async function reportEnvironment(report: Report, context: Context): Promise<Exit> {
  const { environment, type, artifacts, creates = false, description } = report
  if (creates && !context.is_dry_run) await createMissing(environment, type, description, context)
  return recordWrite(
    {
      method: 'PUT',
      template: `/environments/{org}/{env_name}/report/${type}`,
      params: { env_name: environment },
      stream: `environment/${environment}`,
      json: { artifacts },
      describe: () => `Reported ${artifacts.length} artifacts to environment ${environment}`,
    },
    context,
  )
}

async function createMissing(
  name: string,
  type: string,
  description: string | undefined,
  { api, org }: Context,
): Promise<void> {
  try {
    await api.call({
      method: 'GET',
      path: fillPath('/environments/{org}/{env_name}', { org, env_name: name }),
    })
  } catch (error) {
    if (!(error instanceof Problem) || error.exit !== 'not_found') throw error
    const json = compact({ name, type, description: description ?? '' })
    await api.call({ method: 'PUT', path: fillPath('/environments/{org}', { org }), json })
  }
}
