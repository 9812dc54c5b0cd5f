// Computes what a report changes in an environment, and whether the change makes a snapshot.

import { sortByKey } from './canonical.ts'
import type { RunningArtifact } from './reported.ts'

// State of the latest report.
export interface Known {
  artifact_key: string
  name: string
  instance_count: number
  // The result of formatDetail(), or a hash of it.
  detail: string
}

export interface Reported extends RunningArtifact {
  detail: string
}

interface Changed<Before extends Known = Known, Now extends Reported = Reported> {
  before: Before
  now: Now
}

// Each list is in the order of the artifact keys.
export interface Changes<Before extends Known = Known, Now extends Reported = Reported> {
  started: Now[]
  exited: Before[]
  // The number of instances changed.
  scaled: Changed<Before, Now>[]
  // Same number of instances, but other instances or another name.
  refreshed: Changed<Before, Now>[]
  makes_snapshot: boolean
}

export function diffReport<Before extends Known, Now extends Reported>(
  running: readonly Before[],
  reported: readonly Now[],
  include_scaling: boolean,
): Changes<Before, Now> {
  const known = new Map(running.map(artifact => [artifact.artifact_key, artifact]))
  const present = new Set(reported.map(artifact => artifact.artifact_key))
  const exited = sortByKey(running.filter(({ artifact_key }) => !present.has(artifact_key)))
  const started: Now[] = []
  const scaled: Changed<Before, Now>[] = []
  const refreshed: Changed<Before, Now>[] = []
  for (const now of sortByKey(reported)) {
    const before = known.get(now.artifact_key)
    if (!before) started.push(now)
    else if (before.instance_count !== now.instance_count) scaled.push({ before, now })
    else if (before.detail !== now.detail) refreshed.push({ before, now })
  }
  return withSnapshot({ started, exited, scaled, refreshed }, include_scaling)
}

/**
 * The changes by a partial report: it ends neither the artifacts that it did not see nor the unseen instances of an
 * artifact that it saw in part.
 */
export function keepUnseen<Before extends Known, Now extends Reported>(
  changes: Changes<Before, Now>,
  include_scaling: boolean,
): Changes<Before, Now> {
  const grown = changes.scaled.filter(({ before, now }) => now.instance_count > before.instance_count)
  return withSnapshot({ ...changes, exited: [], scaled: grown }, include_scaling)
}

function withSnapshot<Before extends Known, Now extends Reported>(
  changes: Omit<Changes<Before, Now>, 'makes_snapshot'>,
  include_scaling: boolean,
): Changes<Before, Now> {
  const { started, exited, scaled } = changes
  const makes_snapshot = started.length > 0 || exited.length > 0 || (include_scaling && scaled.length > 0)
  return { ...changes, makes_snapshot }
}
