// GET /organizations/{org}/usage: the quotas of an organization, and what it uses.
import { type Static, Type } from 'typebox'
import { defineOperation } from '../operation.ts'
import { getEvidenceBytes } from '../shared/usage-store.ts'
import { Closed, Nullable } from '../shared/wire.ts'
import { OrgPath } from './wire.ts'

const Used = (name: string, used: string) =>
  Closed(name, {
    quota: Nullable(Type.Number({ description: 'What the operator allows; null for no quota' })),
    used: Nullable(Type.Number({ description: used })),
  })

const Usage = Closed('OrganizationUsage', {
  requests_per_second: Used(
    'RequestUsage',
    'Of the present second, in the process that answers; null without a quota',
  ),
  evidence_bytes: Used('EvidenceUsage', 'Stored by all attestations, each content once'),
  jq_seconds_per_hour: Used(
    'JqUsage',
    'Processor time of jq programs and schemas in the last hour, in the process that answers',
  ),
})

export const getOrgUsage = defineOperation(
  {
    id: 'getOrganizationUsage',
    method: 'GET',
    path: '/organizations/{org}/usage',
    tag: 'Organizations',
    summary: 'Get the quotas of an organization and what it uses',
    description:
      'The operator sets quotas. Over the quota of requests or processor time, requests are answered 429 with ' +
      '`Retry-After`; an attachment that exceeds the quota of evidence is answered 413.',
    access: 'admin',
    audit: 'none: reads',
    params: OrgPath,
    returns: Usage,
    fails: [403],
  },
  async ({ org }, { db, jq, countRequestsUsed: requestsUsed }): Promise<Static<typeof Usage>> => {
    const { org_id, quotas } = org
    const evidence_bytes = await db.withTransaction({ org_id }, tx => getEvidenceBytes(tx, org_id))
    return {
      requests_per_second: { quota: quotas.requests_per_second, used: requestsUsed(org) },
      evidence_bytes: { quota: quotas.evidence_bytes, used: evidence_bytes },
      jq_seconds_per_hour: { quota: quotas.jq_seconds_per_hour, used: jq.getUsedSeconds(org_id) },
    }
  },
)
