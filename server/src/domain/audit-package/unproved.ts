// Lists what a package ought to prove and does not. Its subject, attestations and events are always in the log: whoever
// has changed one could otherwise leave out what shows it.
import { listLoggedFiles } from './compare.ts'
import type { Comparison } from './comparison.ts'
import type { ProvenLeaf } from './proven-leaf.ts'
import { findSnapshot } from './record-files.ts'
import { parseRecords } from './records.ts'
import { countHidden, isRunningFile } from './snapshot.ts'
import { REPORTS_WITHOUT_LEAF } from './trail.ts'

/** The content of its leaf with which a record is compared. */
const CONTENTS: readonly [path: RegExp, content: string][] = [
  [/^attestations\//, 'report'],
  [/^artifact\.json$/, 'report'],
  [/^control\.json$/, 'control'],
  [/^snapshot\.json$/, 'state'],
  [/^trail\.json$/, 'trail'],
]
/** A package about one of these has its file. */
const SCOPES = ['artifact', 'control', 'environment', 'snapshot', 'trail']

export interface ShownFile extends Comparison {
  file: string
}

interface Package {
  /** SHA-256 by name. */
  hashes: ReadonlyMap<string, string>
  kept: ReadonlyMap<string, string>
  leaves: readonly ProvenLeaf[]
  /** Events whose bodies were erased. */
  erased: readonly string[]
  /** The kind of thing that the package is about, as the seal says. */
  scope: string
}

/** A sentence for each. `proved_by` are the leaves of each file. */
export function listUnproved(shown: readonly ShownFile[], contents: Package): string[] {
  const by_index = new Map(contents.leaves.map(leaf => [leaf.index, leaf]))
  const sums = groupSums(contents)
  const of_records = shown.flatMap(({ file, proved_by, operator_only }) => {
    const [, content] = CONTENTS.find(([path]) => path.test(file)) ?? []
    if (content === undefined) return []
    const leaves = proved_by.flatMap(index => by_index.get(index) ?? [])
    const isUnproved = leaves.length === 0 || operator_only.includes(REPORTS_WITHOUT_LEAF)
    return [
      ...(isUnproved ? ['no leaf in the package proves it'] : []),
      ...leaves.flatMap(leaf => listWithheld(leaf, content, sums)),
    ].map(problem => `${file}: ${problem}`)
  })
  return [...listMissing(contents), ...of_records, ...listUnprovedEvents(contents)]
}

function listMissing({ scope, kept, hashes, leaves }: Package): string[] {
  const isMissing = SCOPES.includes(scope) && !hashes.has(`${scope}.json`)
  const snapshot = findSnapshot(kept, leaves)
  const artifacts = [...kept].flatMap(([file, text]) =>
    isRunningFile(file) ? (parseRecords(text) ?? []) : [],
  )
  const hidden = snapshot ? countHidden(snapshot, artifacts) : 0
  return [
    ...(isMissing ? [`the package is about the ${scope}, and ${scope}.json is not in it`] : []),
    ...(hidden > 0
      ? [`artifacts/: leaf ${snapshot?.index} names ${hidden} running artifacts that are not in the package`]
      : []),
  ]
}

/** Of the attached files, by attestation. */
function groupSums({ hashes }: Package): ReadonlyMap<string, ReadonlySet<string>> {
  const sums = new Map<string, Set<string>>()
  for (const [file, sha256] of hashes) {
    const [folder, id = ''] = file.split('/')
    if (folder === 'evidence') sums.set(id, (sums.get(id) ?? new Set()).add(sha256))
  }
  return sums
}

function listWithheld(
  leaf: ProvenLeaf,
  content: string,
  sums: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const { index, parts, contents, data } = leaf
  const here = sums.get(String(data.attestation_id))
  const missing = listLoggedFiles(leaf).filter(
    ({ sha256, stored_sha256 }) => !here?.has(String(sha256)) && !here?.has(String(stored_sha256)),
  )
  const isWithheld = parts[content] !== undefined && !contents.has(content)
  return [
    ...(isWithheld
      ? [`leaf ${index} commits to its ${content}, which is not in the package as it was recorded`]
      : []),
    ...missing.map(({ name }) => `leaf ${index} names the file ${name}, which is not in the package`),
  ]
}

function listUnprovedEvents({ kept, leaves, erased }: Package): string[] {
  const known = new Set([...leaves.map(({ event }) => event), ...erased])
  const records = parseRecords(kept.get('events.json') ?? '') ?? []
  return records.flatMap(({ id }) =>
    known.has(String(id)) ? [] : [`events.json: no leaf in the package proves event ${id}`],
  )
}
