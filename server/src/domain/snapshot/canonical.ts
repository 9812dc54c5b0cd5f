// Canonical texts of what runs: equal texts mean equal content, and different content never has equal texts.

import type { RunningArtifact } from './reported.ts'
import { compareText } from './text-order.ts'

// All that can change about an artifact while it runs. Our own keys are always in one order; those inside an owner are in
// the reporter's, and should it change its mind, only the detail is written again.
export function formatDetail(artifact: Pick<RunningArtifact, 'name' | 'instances'>): string {
  return JSON.stringify([artifact.name, artifact.instances])
}

// JSON with the keys of every object in order. Not by sorting the objects:
// the engine always puts keys that look like numbers first.
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value ?? null)
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${toCanonicalJson(value[key])}`)
  return `{${members.join(',')}}`
}

export function sortByKey<Keyed extends { artifact_key: string }>(items: readonly Keyed[]): Keyed[] {
  return [...items].sort((a, b) => compareText(a.artifact_key, b.artifact_key))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
