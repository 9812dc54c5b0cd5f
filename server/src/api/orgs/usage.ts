// GET /organizations/{org}/usage: the quotas of an organization and its usage.

import { type Static, Type } from 'typebox'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { getEvidenceBytes } from '../shared/usage-store.ts'
import { Closed, Described, Nullable } from '../shared/wire.ts'

const Used = (name: string, used: string) =>
  Closed(name, {
    quota: Nullable(Type.Number({ description: 'The limit set by the operator; null for no quota' })),
    used: Nullable(Type.Number({ description: used })),
  })

const Usage = Closed('OrganizationUsage', {
  requests_per_second: Described(
    Used(
      'RequestUsage',
      'Requests in the current second, in the process that responds; null without a quota',
    ),
    'Requests per second, for all keys of the organization together',
  ),
  evidence_bytes: Described(
    Used('EvidenceUsage', 'Bytes stored by all attestations; identical content counts once'),
    'Bytes of stored attachments',
  ),
  jq_seconds_per_hour: Described(
    Used('JqUsage', 'CPU time of jq programs and schemas in the last hour, in the process that responds'),
    'CPU seconds per hour of jq programs and schemas',
  ),
})

export const getOrgUsage = defineOperation(
  {
    id: 'getOrganizationUsage',
    method: 'GET',
    path: '/organizations/{org}/usage',
    tag: 'Organizations',
    summary: 'Get the quotas and usage of an organization',
    description:
      'The operator sets quotas. Requests beyond the quota of requests or CPU time get 429 with `Retry-After`; ' +
      'attachments beyond the quota of evidence get 507.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    params: OrgPath,
    returns: Usage,
    fails: [403],
  },
  async ({ org }, { db, jq, countRequestsUsed }): Promise<Static<typeof Usage>> => {
    const { org_id, quotas } = org
    const evidence_bytes = await db.withTransaction({ org_id }, tx => getEvidenceBytes(tx, org_id))
    return {
      requests_per_second: { quota: quotas.requests_per_second, used: countRequestsUsed(org) },
      evidence_bytes: { quota: quotas.evidence_bytes, used: evidence_bytes },
      jq_seconds_per_hour: { quota: quotas.jq_seconds_per_hour, used: jq.getUsedSeconds(org_id) },
    }
  },
)
