// What can be wrong with a flow, in the words existing clients compare.
import { type AppError, notFound } from '../../lib/errors.ts'

export function noSuchFlow(flow_name: string, org: string): AppError {
  return notFound(`Flow named '${flow_name}' does not exist for organization '${org}'`)
}
