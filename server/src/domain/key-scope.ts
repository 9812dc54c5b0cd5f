// What a key may do beside the role of its owner: which families of operations, on which flows and environments.

/** What an operation is about. Whatever is not said to be one of the first three is `administer`. */
export const FAMILIES = ['read', 'report', 'attest', 'administer'] as const
export type Family = (typeof FAMILIES)[number]

/** What CI jobs may do unless their rule says more. */
export const CI_FAMILIES: readonly Family[] = ['read', 'report', 'attest']

/** Null is no limit. */
export interface KeyScope {
  operations: readonly Family[] | null
  flow_ids: readonly string[] | null
  environment_ids: readonly string[] | null
}

export const WHOLE_SCOPE: KeyScope = { operations: null, flow_ids: null, environment_ids: null }

/** Whether a request must say which flow or environment it is about. */
export function hasPlaceLimits({ flow_ids, environment_ids }: KeyScope): boolean {
  return flow_ids !== null || environment_ids !== null
}

export interface ScopedRequest {
  family: Family
  /** Of the path; undefined when it names none, or one that does not exist. */
  flow_id: string | undefined
  environment_id: string | undefined
}

/** Why a key may not do this; undefined when it may. */
export function findScopeProblem(scope: KeyScope, request: ScopedRequest): string | undefined {
  if (scope.operations && !scope.operations.includes(request.family)) {
    return `This key may only ${formatFamilies(scope.operations)}; the request needs '${request.family}'`
  }
  if (!hasPlaceLimits(scope)) return undefined
  const isInFlow = request.flow_id !== undefined && scope.flow_ids?.includes(request.flow_id)
  const isInEnvironment =
    request.environment_id !== undefined && scope.environment_ids?.includes(request.environment_id)
  if (isInFlow || isInEnvironment) return undefined
  const places = [scope.flow_ids && 'flows', scope.environment_ids && 'environments'].filter(Boolean)
  return `This key is limited to certain ${places.join(' and ')}, and the request is about something else`
}

function formatFamilies(families: readonly Family[]): string {
  return families.length === 0 ? 'do nothing' : families.join(', ')
}

/** Whether a new key may do no more than the one that asks for it. */
export function isWithinLimits(requester: KeyScope, requested: KeyScope): boolean {
  return (
    isSubset(requested.operations, requester.operations) &&
    isSubset(requested.flow_ids, requester.flow_ids) &&
    isSubset(requested.environment_ids, requester.environment_ids)
  )
}

function isSubset<T>(requested: readonly T[] | null, granted: readonly T[] | null): boolean {
  return granted === null || (requested?.every(one => granted.includes(one)) ?? false)
}
