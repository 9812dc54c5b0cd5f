// Converts the organization of a request to the jq engine's form.
import type { JqOrg } from '../../jq/engine.ts'
import type { CallerOrg } from '../operation.ts'

export function toJqOrg({ org_id, quotas }: Pick<CallerOrg, 'org_id' | 'quotas'>): JqOrg {
  return { org_id, seconds_per_hour: quotas.jq_seconds_per_hour }
}
