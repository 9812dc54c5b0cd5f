// What an event is about: the subjects by which its leaf can be found, and by which an auditor can tell that there are no
// others.
import type { SubjectIds } from './body.ts'
import type { Subject } from './commit.ts'
import { MAX_TAGS } from './leaf.ts'

export interface EventAboutSubjects extends SubjectIds {
  data: Readonly<Record<string, unknown>>
  parts?: Readonly<Record<string, unknown>> | undefined
}

/** Where the data of events names a subject. */
const NAMED_IN_DATA: Readonly<Record<string, Subject['type']>> = {
  artifact_fingerprint: 'artifact',
  fingerprint: 'artifact',
  user: 'person',
  user_name: 'person',
  service_account: 'account',
  identifier: 'control',
  control: 'control',
}

/** Each subject once. Those that do not fit into a leaf are in the body alone. */
export function listSubjects(event: EventAboutSubjects): Subject[] {
  const { flow_id, trail_id, environment_id, policy_id, data, parts } = event
  const named = Object.entries(NAMED_IN_DATA).map(([key, type]) => ({ type, id: data[key] }))
  const evidence = parts?.evidence as { sha256?: unknown } | undefined
  const found = [
    { type: 'trail' as const, id: trail_id },
    { type: 'environment' as const, id: environment_id },
    { type: 'flow' as const, id: flow_id },
    { type: 'policy' as const, id: policy_id },
    { type: 'evidence' as const, id: evidence?.sha256 },
    ...named,
  ]
  const subjects = new Map<string, Subject>()
  for (const { type, id } of found) {
    if (typeof id === 'string' && id !== '') subjects.set(`${type} ${id}`, { type, id })
  }
  return [...subjects.values()].slice(0, MAX_TAGS)
}
