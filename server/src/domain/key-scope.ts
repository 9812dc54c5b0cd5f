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

/** Something that a request names, in its path, query or body. */
export interface NamedObject {
  kind: 'flow' | 'environment' | 'policy'
  name: string
  /** Undefined if there is none of that name. */
  id: string | undefined
}

export interface ScopedRequest {
  family: Family
  /** What the path names. */
  path: readonly NamedObject[]
}

/** Why the key may not do this; undefined if it may. A limited key needs a path that names one of its places. */
export function findScopeProblem(scope: KeyScope, { family, path }: ScopedRequest): string | undefined {
  if (scope.operations && !scope.operations.includes(family)) {
    return `This key may only ${formatFamilies(scope.operations)}; the request needs '${family}'`
  }
  if (!hasPlaceLimits(scope)) return undefined
  if (!path.some(named => listIds(scope, named)?.includes(named.id ?? ''))) {
    return `This key is limited to certain ${formatPlaces(scope)}, and the request is about something else`
  }
  return findNamedProblem(scope, path)
}

/** Why the key may not name one of these; undefined if it may name all of them. */
export function findNamedProblem(scope: KeyScope, named: readonly NamedObject[]): string | undefined {
  if (!hasPlaceLimits(scope)) return undefined
  const foreign = named.find(one => listIds(scope, one)?.includes(one.id ?? '') === false)
  if (!foreign) return undefined
  const limits = `This key is limited to certain ${formatPlaces(scope)}`
  return foreign.kind === 'policy'
    ? `${limits}, and policies belong to the whole organization`
    : `${limits}, and the request also names the ${foreign.kind} '${foreign.name}'`
}

/** What of its kind a limited key may name; null for everything. Policies are no place, and rule in many. */
function listIds({ flow_ids, environment_ids }: KeyScope, { kind }: NamedObject): readonly string[] | null {
  if (kind === 'flow') return flow_ids
  return kind === 'environment' ? environment_ids : []
}

function formatPlaces({ flow_ids, environment_ids }: KeyScope): string {
  return [flow_ids && 'flows', environment_ids && 'environments'].filter(Boolean).join(' and ')
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
