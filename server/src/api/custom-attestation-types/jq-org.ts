// Converts the organization of a request to the jq engine's form.
import type { JqOrg } from '../../jq/engine.ts'
import type { CallerOrg } from '../operation.ts'

export function toJqOrg({
  org_id,
  sponsor,
  quotas,
}: Pick<CallerOrg, 'org_id' | 'sponsor' | 'quotas'>): JqOrg {
  return { org_id, sponsor, seconds_per_hour: quotas.jq_seconds_per_hour }
}
