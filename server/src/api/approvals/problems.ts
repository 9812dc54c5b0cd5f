// What can be wrong with an approval, in the words existing clients compare, and since when approvals are not wanted.
import { type AppError, notFound } from '../../lib/errors.ts'

/** Nothing depends on them any more: attestations and decisions say the same and are judged. */
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
