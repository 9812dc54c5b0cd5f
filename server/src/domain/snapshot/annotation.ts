// Names what happened to an artifact between two snapshots, for the snapshot, the environment's events and the audit
// log.

import type { Verdict } from './compliance.ts'

export type EventType =
  | 'started-compliant'
  | 'started-non-compliant'
  | 'started-unknown'
  | 'exited'
  | 'scaled'
  | 'became-compliant'
  | 'became-non-compliant'
  // Another flow reported it; the verdict did not change.
  | 'updated-provenance'
  | 'changed'

export type AnnotationType = EventType | 'unchanged'
export type EventKind = 'started' | 'exited' | 'changed'

export interface Annotation {
  type: AnnotationType
  // Numbers of instances.
  was: number
  now: number
}

export interface RunState {
  instance_count: number
  compliant: Verdict
}

// Null means that the artifact is not running. If several things changed, the verdict wins, because people act on it.
export function computeAnnotation(
  before: RunState | null,
  after: RunState | null,
  given: { include_scaling: boolean; inputs_changed: boolean },
): Annotation {
  const [was, now] = [before?.instance_count ?? 0, after?.instance_count ?? 0]
  return { type: computeAnnotationType(before, after, given), was, now }
}

export function describeEvent(type: EventType, was: number, now: number): string {
  const range = `(from ${was} to ${now})`
  const difference = formatInstances(Math.abs(now - was))
  switch (type) {
    case 'started-compliant':
    case 'started-non-compliant':
    case 'started-unknown':
      return `${difference} started running ${range}`
    case 'exited':
      return `${difference} stopped running ${range}`
    case 'scaled':
      return `${difference} scaled ${range}`
    case 'became-compliant':
      return `${formatInstances(now)} became compliant`
    case 'became-non-compliant':
      return `${formatInstances(now)} became non-compliant`
    case 'updated-provenance':
      return `${formatInstances(now)} gained provenance`
    case 'changed':
      return `${formatInstances(now)} changed`
  }
}

export function toEventKind(type: EventType): EventKind {
  if (type === 'exited') return 'exited'
  return type.startsWith('started-') ? 'started' : 'changed'
}

function computeAnnotationType(
  before: RunState | null,
  after: RunState | null,
  given: { include_scaling: boolean; inputs_changed: boolean },
): AnnotationType {
  if (!after) return before ? 'exited' : 'unchanged'
  if (!before) return `started-${formatVerdict(after.compliant)}`
  if (before.compliant !== after.compliant) {
    return after.compliant === null ? 'changed' : `became-${formatVerdict(after.compliant)}`
  }
  if (given.include_scaling && before.instance_count !== after.instance_count) return 'scaled'
  return given.inputs_changed ? 'changed' : 'unchanged'
}

function formatVerdict<Given extends Verdict>(verdict: Given) {
  const words = { true: 'compliant', false: 'non-compliant', null: 'unknown' } as const
  return words[`${verdict}`]
}

function formatInstances(count: number): string {
  return count === 1 ? '1 instance' : `${count} instances`
}
