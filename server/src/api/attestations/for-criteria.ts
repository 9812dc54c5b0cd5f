// GET /attestations/{org}/list_attestations_for_criteria: the attestations of each of the given commits.

import { toStoredType } from '../../domain/attestation/types.ts'
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { readAttestationId } from '../shared/attestation-id.ts'
import { OrgPath } from '../shared/fields.ts'
import { listAttestationsByCommits } from './criteria-store.ts'
import { type Attestation, AttestationCriteria, AttestationsByCommit, toWire } from './wire.ts'

export const listAttestationsForCriteria = defineOperation(
  {
    id: 'listAttestationsForCriteria',
    method: 'GET',
    path: '/attestations/{org}/list_attestations_for_criteria',
    tag: 'Attestations',
    summary: 'List attestations by commit',
    description:
      'An attestation belongs to the commit that it was reported with, else to the commit of its artifact, else to ' +
      'that of its trail. Returns the newest 1,000 of each commit, and an empty list for a commit without ' +
      'attestations',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: AttestationCriteria,
    returns: AttestationsByCommit,
    fails: [400, 403, 404],
    example: {
      query: {
        commit_list: '6a3f1d0e2b9c4875a1e0d9c8b7a6f5e4d3c2b1a0',
        attestation_type: 'pull_request',
      },
    },
  },
  async ({ query, org }, { db, base_url }) => {
    const { org_id } = org
    const rows = await db.withTransaction({ org_id }, async tx => {
      const flow_id = query.flow_name === undefined ? null : await requireFlow(tx, org, query.flow_name)
      return listAttestationsByCommits(tx, org_id, {
        commits: query.commit_list,
        flow_id,
        attestation_type: query.attestation_type === undefined ? null : toStoredType(query.attestation_type),
        attestation_id: readAttestationId(query),
        ...parseAttestationName(query.attestation_name),
      })
    })
    const site = { base_url, org: org.name, org_id }
    const found: Record<string, Attestation[]> = Object.fromEntries(query.commit_list.map(sha => [sha, []]))
    for (const { requested_commit, ...row } of rows) found[requested_commit]?.push(toWire(row, site))
    return found
  },
)

/** Clients send `artifact.attestation`. Neither name contains a dot. */
function parseAttestationName(qualifiedName: string | undefined) {
  const [last, ...before] = (qualifiedName ?? '').split('.').reverse()
  return {
    attestation_name: last || null,
    template_reference_name: before.length === 0 ? null : before.reverse().join('.'),
  }
}
