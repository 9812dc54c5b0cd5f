// Limits of an API key beyond the role of its owner: families of operations, flows and environments.

/** The families of operations. An operation is `administer` unless declared otherwise. */
export const FAMILIES = ['read', 'report', 'attest', 'administer'] as const
export type Family = (typeof FAMILIES)[number]

/** The families that CI jobs may use unless their rule allows more. */
export const CI_FAMILIES: readonly Family[] = ['read', 'report', 'attest']

/** Null means no limit. */
export interface KeyScope {
  operations: readonly Family[] | null
  flow_ids: readonly string[] | null
  environment_ids: readonly string[] | null
}

export const WHOLE_SCOPE: KeyScope = { operations: null, flow_ids: null, environment_ids: null }

/** Whether a key may do everything that its owner may. */
export function isWhole(scope: KeyScope): boolean {
  return scope.operations === null && !hasPlaceLimits(scope)
}

/** Whether a request must name its flow or environment. */
export function hasPlaceLimits({ flow_ids, environment_ids }: KeyScope): boolean {
  return flow_ids !== null || environment_ids !== null
}

export interface ScopedRequest {
  family: Family
  /** From the path; undefined if the path names no flow, or one that does not exist. */
  flow_id: string | undefined
  environment_id: string | undefined
}

/** Why the key may not do this; undefined if it may. */
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

/** Whether a new key has no more rights than the key that creates it. */
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
