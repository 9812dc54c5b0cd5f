// Canonical texts of running artifacts: two texts are equal if and only if the content is equal.

import type { RunningArtifact } from './reported.ts'
import { chooseTextOrder } from './text-order.ts'

// Everything that can change about a running artifact. Our own keys always have the same order. Keys inside an owner
// keep the reporter's order; if it changes, only the detail is written again.
export function formatDetail(artifact: Pick<RunningArtifact, 'name' | 'instances'>): string {
  return joinDetail(artifact.name, JSON.stringify(artifact.instances))
}

// The same for instances that are JSON already.
export function joinDetail(name: string, instances: string): string {
  return `[${JSON.stringify(name)},${instances}]`
}

// JSON with the keys of every object in order. Sorting the objects is not enough: JavaScript always puts keys that
// look like numbers first.
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value ?? null)
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${toCanonicalJson(value[key])}`)
  return `{${members.join(',')}}`
}

export function sortByKey<Keyed extends { artifact_key: string }>(items: readonly Keyed[]): Keyed[] {
  const compare = chooseTextOrder(items.map(({ artifact_key }) => artifact_key))
  return [...items].sort((a, b) => compare(a.artifact_key, b.artifact_key))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
