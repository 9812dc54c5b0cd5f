// Builds the command that reports the running artifacts of an environment.

import { readServerSeconds } from '../../live/server-clock.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import type { Environment } from './answers.ts'

const EXAMPLE_FINGERPRINT = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'

/** The fields that each environment type reports about an artifact besides digest and start time. */
const DETAILS: Partial<Record<Environment['type'], object>> = {
  K8S: { podName: 'backend-7d9f', namespace: 'default', owners: null },
  ECS: { taskArn: 'arn:task/1', cluster_name: 'main', service_name: 'backend' },
  'cloudx-apps': { app_name: 'backend', app_kind: 'app,linux', digests_source: 'logs' },
  'cloud-run': { kind: 'service', serviceName: 'backend', revisionName: 'backend-00001' },
}

export function buildReportCommand(org: string, { name, neutral_type: type }: Environment): string {
  if (type === 'logical') {
    return buildCurl('PATCH', buildApiPath('environments', org, name), {
      included_environments: ['production'],
    })
  }
  const artifact = {
    digests: { 'backend:1.4.2': EXAMPLE_FINGERPRINT },
    creationTimestamp: Math.floor(readServerSeconds()),
    ...DETAILS[type],
  }
  return buildCurl('PUT', buildApiPath('environments', org, name, 'report', type), { artifacts: [artifact] })
}
