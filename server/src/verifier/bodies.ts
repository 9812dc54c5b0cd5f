// The bodies of leaves: each must match its leaf byte for byte, and so must the tags of its subjects.
import {
  commitToPart,
  computeTag,
  hashBody,
  SALT_BYTES,
  type Subject,
  type SubjectType,
} from '../domain/log/commit.ts'
import { HISTORY_IMPORTED } from '../domain/log/history.ts'
import type { Leaf } from '../domain/log/leaf.ts'
import { listSubjects } from '../domain/log/subjects.ts'
import type { Findings } from './findings.ts'
import { parseJson, toValues, type Values } from './json.ts'

/** A line of a file of bodies. */
export interface StoredBody {
  index: number
  salt: string
  body: string
}

/** The recorded body: its hash is in the leaf. */
export interface CheckedBody {
  kind: string
  happened_at: string
  ids: Readonly<Record<string, string>>
  data: Values
  parts: Values
}

/** The subjects that events of a kind name; undefined for a kind that this version does not know. */
export type FindSubjectTypes = (kind: string) => readonly SubjectType[] | undefined

/** The lines of a file, by leaf number. */
export function parseBodies(text: string, file: string, findings: Findings): Map<number, StoredBody> {
  const bodies = new Map<number, StoredBody>()
  for (const [i, line] of text.split('\n').entries()) {
    if (line === '') continue
    const stored = parseJson(line)
    const { index, salt, body } = stored ?? {}
    if (typeof index === 'number' && typeof salt === 'string' && typeof body === 'string')
      bodies.set(index, { index, salt, body })
    else findings.add('V10', 'false', `line ${i + 1} of ${file} is not a body`)
  }
  return bodies
}

/** Undefined if this is not the recorded body. */
export function checkBody(
  leaf: Leaf,
  { salt, body }: StoredBody,
  findings: Findings,
): CheckedBody | undefined {
  const refuse = (text: string) => {
    findings.add('V10', 'false', text)
    return undefined
  }
  const salt_bytes = Buffer.from(salt, 'base64')
  const isSalt = salt_bytes.length === SALT_BYTES && salt_bytes.toString('base64') === salt
  if (!isSalt || !hashBody(salt_bytes, body).equals(leaf.body_hash))
    return refuse(`the body of leaf ${leaf.index} (${leaf.kind}) is not what was recorded`)
  const values = parseJson(body)
  // Events from before the log keep their own kind.
  const isOfKind = values?.kind === leaf.kind || leaf.kind === HISTORY_IMPORTED
  if (!values || typeof values.kind !== 'string' || !isOfKind)
    return refuse(`leaf ${leaf.index} is of the kind ${leaf.kind}, and its body is not`)
  return {
    kind: values.kind,
    happened_at: String(values.happened_at ?? ''),
    ids: toValues(values.ids) as Record<string, string>,
    data: toValues(values.data),
    parts: toValues(values.parts),
  }
}

/** Computes the tags of the subjects that a body names; undefined for an unknown kind. */
export type ComputeTags = (body: CheckedBody) => string | undefined

const MAX_KNOWN_TAGS = 10_000

export function makeComputeTags(tag_key: Buffer, findTypes: FindSubjectTypes): ComputeTags {
  /** Most leaves share their subjects with others. */
  const known = new Map<string, string>()
  const compute = (subject: Subject): string => {
    const name = `${subject.type} ${subject.id}`
    const tag = known.get(name) ?? computeTag(tag_key, subject)
    if (known.size >= MAX_KNOWN_TAGS) known.clear()
    known.set(name, tag)
    return tag
  }
  return ({ kind, ids, data, parts }) => {
    const types = findTypes(kind)
    if (!types) return undefined
    const event = {
      flow_id: ids.flow,
      trail_id: ids.trail,
      environment_id: ids.environment,
      policy_id: ids.policy,
      control_id: ids.control,
      data,
      parts,
    }
    return [...new Set(listSubjects(event, types).map(compute))].sort().join()
  }
}

/** A tag is the server's claim about a body; with the body, anyone can compute it. */
export function checkTags(leaf: Leaf, body: CheckedBody, computeTags: ComputeTags, findings: Findings): void {
  const { index, kind, about } = leaf
  const tags = computeTags(body)
  if (tags === undefined) {
    const text = `leaf ${index} is of the kind '${kind}', which this version does not know: its tags were not compared`
    findings.add('V9', 'unknown', text)
  } else if (tags !== about.join()) {
    findings.add('V9', 'false', `the tags of leaf ${index} (${kind}) do not fit its body`)
  }
}

/** Content that is stored elsewhere, such as an attestation report. */
export function checkParts(
  { index, kind }: Leaf,
  { salt }: StoredBody,
  { parts }: CheckedBody,
  { contents, findings }: { contents: ReadonlyMap<string, Buffer>; findings: Findings },
): void {
  for (const [name, content] of contents) {
    const { commitment } = toValues(parts[name])
    if (commitToPart(Buffer.from(salt, 'base64'), name, content) !== commitment)
      findings.add('V10', 'false', `the ${name} of leaf ${index} (${kind}) is not what was recorded`)
  }
}
