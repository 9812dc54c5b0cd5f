// Compares the files about which a package is, such as `snapshot.json`, with the leaves in it.
import { type Comparison, compareFields, OPERATOR_ONLY } from './comparison.ts'
import type { ProvenLeaf } from './proven-leaf.ts'
import { parseRecord, parseRecords, parseValues, type Values } from './records.ts'
import { compareSnapshot, findLeafOfSnapshot } from './snapshot.ts'
import {
  compareArtifacts,
  compareTrail,
  findLeafOfTrail,
  type Scope,
  scopeOfArtifacts,
  scopeOfTrail,
} from './trail.ts'

type Leaves = readonly ProvenLeaf[]
/** Malformed if a file is not written as Waybill writes it: readers could see different things in it. */
type CompareFile = (text: string, leaves: Leaves) => Comparison | 'malformed'

const ofRecord =
  (
    find: (record: Values, leaves: Leaves) => ProvenLeaf | undefined,
    compare: (record: Values, leaf: ProvenLeaf, leaves: Leaves) => Comparison,
  ): CompareFile =>
  (text, leaves) => {
    const record = parseRecord(text)
    if (!record) return 'malformed'
    const leaf = find(record, leaves)
    return leaf ? compare(record, leaf, leaves) : OPERATOR_ONLY
  }

const FILES: Readonly<Record<string, CompareFile>> = {
  'control.json': ofRecord(findLeafOfControl, compareControl),
  'snapshot.json': ofRecord(findLeafOfSnapshot, compareSnapshot),
  'trail.json': ofRecord(findLeafOfTrail, compareTrail),
  'artifact.json': (text, leaves) => {
    const records = parseRecords(text)
    return records ? compareArtifacts(records, leaves) : 'malformed'
  },
}

export const RECORD_FILES: readonly string[] = Object.keys(FILES)

/** Nothing proves a file that is not one of these. */
export function compareRecordFile(file: string, text: string, leaves: Leaves): Comparison | 'malformed' {
  return FILES[file]?.(text, leaves) ?? OPERATOR_ONLY
}

function findLeafOfControl({ identifier }: Values, leaves: Leaves): ProvenLeaf | undefined {
  return leaves.findLast(({ contents }) => parseValues(contents.get('control'))?.identifier === identifier)
}

function compareControl(record: Values, leaf: ProvenLeaf): Comparison {
  const row = parseValues(leaf.contents.get('control')) ?? {}
  const { identifier, name, description, links, tags, version, created_by, created_at, is_archived } = row
  const proven = { identifier, name, description, links, tags, version, created_by, created_at }
  return compareFields(record, { ...proven, archived: is_archived }, leaf)
}

type Texts = ReadonlyMap<string, string>

/** Whose evidence may be in the package of these files. */
export function readScope(texts: Texts, leaves: Leaves): Scope | undefined {
  const trail = parseValues(texts.get('trail.json'))
  if (trail) return scopeOfTrail(trail)
  const artifacts = parseRecords(texts.get('artifact.json') ?? '')
  return artifacts && scopeOfArtifacts(artifacts, leaves)
}

/** The leaf of the snapshot that the package is about. */
export function findSnapshot(texts: Texts, leaves: Leaves): ProvenLeaf | undefined {
  const record = parseValues(texts.get('snapshot.json'))
  return record && findLeafOfSnapshot(record, leaves)
}

/** A sentence if the snapshot was recorded under another name of its environment. */
export function describeOtherName(texts: Texts, leaves: Leaves): string | undefined {
  const { environment_name: said } = parseValues(texts.get('snapshot.json')) ?? {}
  const leaf = findSnapshot(texts, leaves)
  const recorded = leaf?.data.environment_name
  if (!leaf || recorded === said) return undefined
  return `snapshot.json: leaf ${leaf.index} names the environment '${recorded}'; only the operator says that it is '${said}' now`
}
