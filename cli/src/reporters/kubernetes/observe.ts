// Observes the pods of a cluster, once or forever.
import { Problem } from '../../program/problem.ts'
import type { Observation } from '../observation.ts'
import type { Cluster, PodChange } from './client.ts'
import { describePods, type Pod } from './containers.ts'

export interface Selection {
  /** Empty for all namespaces. */
  namespaces: readonly string[]
  excluded: readonly string[]
}

/** Pods by scope (a namespace, or undefined for all), each by its uid. */
export interface Seen {
  pods: Map<string, Pod>
  versions: Map<string | undefined, string>
  /** Namespaces that could not be listed, with the reason. */
  missing: string[]
}

const listScopes = ({ namespaces }: Selection): readonly (string | undefined)[] =>
  namespaces.length === 0 ? [undefined] : namespaces

/** Fails if it can see nothing at all; otherwise the result includes what is missing. */
export async function listEverything(cluster: Cluster, selection: Selection): Promise<Seen> {
  const seen: Seen = { pods: new Map(), versions: new Map(), missing: [] }
  const problems: Problem[] = []
  for (const scope of listScopes(selection)) {
    try {
      const { pods, version } = await cluster.listPods(scope)
      for (const pod of pods) seen.pods.set(getUid(pod), pod)
      seen.versions.set(scope, version)
    } catch (error) {
      if (!(error instanceof Problem) || scope === undefined) throw error
      problems.push(error)
      seen.missing.push(`namespace ${scope}: ${error.message}`)
    }
  }
  const [problem] = problems
  if (seen.versions.size === 0 && problem !== undefined) throw problem
  return seen
}

/** Returns whether the event changes the report. */
export function applyChange(seen: Seen, scope: string | undefined, { type, pod }: PodChange): boolean {
  seen.versions.set(scope, pod.metadata?.resourceVersion ?? seen.versions.get(scope) ?? '')
  if (type === 'BOOKMARK') return false
  const uid = getUid(pod)
  const before = seen.pods.get(uid)
  if (type === 'DELETED') return seen.pods.delete(uid)
  seen.pods.set(uid, pod)
  return before === undefined || describe(before) !== describe(pod)
}

const getUid = (pod: Pod): string => pod.metadata?.uid ?? `${pod.metadata?.namespace}/${pod.metadata?.name}`
const describe = (pod: Pod): string => JSON.stringify(describePods([pod]))

export function toObservation(seen: Seen, selection: Selection, observed_at: number): Observation {
  const pods = [...seen.pods.values()]
    .filter(({ metadata }) => !selection.excluded.includes(metadata?.namespace ?? ''))
    .sort((one, other) => (getSortKey(one) < getSortKey(other) ? -1 : 1))
  const { elements, unresolved } = describePods(pods)
  const scope = selection.namespaces.length === 0 ? 'all namespaces' : selection.namespaces.join(', ')
  const except = selection.excluded.length === 0 ? '' : ` except ${selection.excluded.join(', ')}`
  return { elements, missing: [...seen.missing, ...unresolved], observed_at, scope: `${scope}${except}` }
}

/** Sorted, so that the service needs only one comparison for an unchanged cluster. */
const getSortKey = ({ metadata }: Pod): string => `${metadata?.namespace}/${metadata?.name}/${metadata?.uid}`
