// Canonical texts of what runs: equal texts mean equal content, and different content never has equal texts.

import type { RunningArtifact } from './reported.ts'
import { compareText } from './text-order.ts'

// What a snapshot is about. Counts belong to it only where scaling does.
export function contentKey(artifacts: readonly RunningArtifact[], include_scaling: boolean): string {
  return JSON.stringify(
    inOrder(artifacts).map(({ artifact_key, instance_count }) =>
      include_scaling ? [artifact_key, instance_count] : artifact_key,
    ),
  )
}

export function detailKey(artifacts: readonly RunningArtifact[]): string {
  return canonicalText(inOrder(artifacts))
}

// All that can change about an artifact while it runs.
export function detailOf(artifact: Pick<RunningArtifact, 'name' | 'instances'>): string {
  return canonicalText({ name: artifact.name, instances: artifact.instances })
}

// JSON with the keys of every object in order, because the database does not keep theirs. Not by sorting the objects:
// the engine always puts keys that look like numbers first.
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value ?? null)
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalText(value[key])}`)
  return `{${members.join(',')}}`
}

export function inOrder<Keyed extends { artifact_key: string }>(items: readonly Keyed[]): Keyed[] {
  return [...items].sort((a, b) => compareText(a.artifact_key, b.artifact_key))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
