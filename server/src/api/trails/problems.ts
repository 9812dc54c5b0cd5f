// The errors of trail operations, in the wording that existing clients compare.
import { type AppError, notFound } from '../../lib/errors.ts'

export function noSuchTrail(trail_name: string, flow_name: string, org: string): AppError {
  return notFound(
    `Trail with name '${trail_name}' does not exist for Organization '${org}' and Flow '${flow_name}'`,
  )
}
