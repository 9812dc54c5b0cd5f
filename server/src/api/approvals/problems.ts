// The errors about approvals, whose sentences existing clients compare, and the deprecation date of approvals.
import { type AppError, notFound } from '../../lib/errors.ts'

/** No verdict depends on approvals. Attestations and decisions replace them. */
export const DEPRECATED = { since: new Date('2026-07-28T00:00:00Z') }

export function noSuchApproval(number: number, flow_name: string, org: string): AppError {
  return notFound(
    `Approval number '${number}' does not exist in flow '${flow_name}' belonging to organization '${org}'`,
  )
}

export function noSuchArtifact(fingerprint: string, flow_name: string, org: string): AppError {
  return notFound(
    `Artifact with fingerprint '${fingerprint}' does not exist in flow '${flow_name}' belonging to organization '${org}'`,
  )
}
