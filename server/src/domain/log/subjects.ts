// The subjects of an event: they let a reader find its leaf, and let an auditor check that there are no others.
// Everything is read from the body, so that whoever has the body can recompute the tags.
import { type SubjectIds, toKnownId } from './body.ts'
import type { Subject, SubjectType } from './commit.ts'
import { MAX_TAGS } from './leaf.ts'

type Values = Readonly<Record<string, unknown>>

export interface EventAboutSubjects extends SubjectIds {
  data: Values
  parts?: Values | null | undefined
}

/** Where an event names a subject of each type. */
const FIND_IDS: Readonly<Record<SubjectType, (event: EventAboutSubjects) => unknown[]>> = {
  artifact: ({ data }) => [data.artifact_fingerprint, read(data.subject, 'artifact_fingerprint')],
  trail: ({ trail_id }) => [known(trail_id)],
  flow: ({ flow_id }) => [known(flow_id)],
  environment: ({ environment_id }) => [known(environment_id)],
  policy: ({ policy_id }) => [known(policy_id)],
  control: ({ data, parts }) => [data.identifier, read(parts?.facts, 'control')],
  person: ({ parts }) => [known(read(parts?.about, 'person')), known(readRowId(parts, 'member'))],
  account: ({ parts }) => [known(read(parts?.about, 'account')), known(readRowId(parts, 'service_account'))],
  evidence: ({ parts }) => [
    read(parts?.evidence, 'sha256'),
    ...(Array.isArray(parts?.files) ? parts.files.map(file => read(file, 'sha256')) : []),
  ],
}

/** Each subject of these types once. Subjects that do not fit into a leaf are only in the body. */
export function listSubjects(event: EventAboutSubjects, types: readonly SubjectType[]): Subject[] {
  const found = types.flatMap(type => [...new Set(FIND_IDS[type](event))].map(id => ({ type, id })))
  return found
    .flatMap(({ type, id }) => (typeof id === 'string' && id !== '' ? [{ type, id }] : []))
    .slice(0, MAX_TAGS)
}

function known(id: unknown): string | undefined {
  return typeof id === 'string' ? toKnownId(id) : undefined
}

function read(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null ? (object as Values)[name] : undefined
}

/** Parts that are rows of the database begin with the name of the row. */
function readRowId(parts: Values | null | undefined, name: string): string | undefined {
  const row = read(parts?.[name], 'row')
  return typeof row === 'string' ? row.slice(name.length + 1) : undefined
}
