// Compares what an audit package says with what its leaves prove, file by file.
import {
  type Comparison,
  compareAttestation,
  compareControl,
  compareEvents,
  compareEvidence,
  compareSnapshot,
  type DescribeEvent,
  isLeafOfAttestation,
  isLeafOfControl,
  isLeafOfSnapshot,
  OPERATOR_ONLY,
} from '../domain/audit-package/compare.ts'
import type { ProvenLeaf } from '../domain/audit-package/proven-leaf.ts'
import { parseRecord, parseRecords } from '../domain/audit-package/records.ts'
import { MANIFEST } from '../domain/audit-package/seal.ts'
import type { Findings } from './findings.ts'
import type { PackageFiles } from './package-files.ts'
import type { PackageLeaves } from './package-leaves.ts'

const EVIDENCE_FILE = /^evidence\/([0-9a-f-]{32})\//

export interface ShownFile extends Comparison {
  file: string
}

/** Every file but the manifest and the seal, in the order of the package. */
export function compareContents(
  { hashes, kept }: PackageFiles,
  found: PackageLeaves,
  describe: DescribeEvent,
  findings: Findings,
): ShownFile[] {
  const compare = makeCompare(found.leaves, describe)
  const files = [...hashes].filter(([file]) => file !== MANIFEST && !file.startsWith('seal/'))
  return files.map(([file, sha256]) => {
    const index = found.files.get(file)
    if (index !== undefined) return { file, ...OPERATOR_ONLY, proved_by: [index] }
    const compared = compare(file, { text: kept.get(file), sha256 })
    if (compared === 'malformed') {
      findings.add(
        'V12',
        'false',
        `${file} is not written as Waybill writes it: readers could see different things in it`,
      )
      return { file, ...OPERATOR_ONLY }
    }
    for (const field of compared.contradicted)
      findings.add(
        'V12',
        'false',
        `${file}: ${field} is not what leaf ${compared.proved_by.join(', ') || '?'} recorded`,
      )
    return { file, ...compared }
  })
}

function makeCompare(leaves: readonly ProvenLeaf[], describe: DescribeEvent) {
  const by_event = new Map(leaves.map(leaf => [leaf.event, leaf]))
  const newest = leaves.toReversed()
  const by_attestation = new Map(
    leaves
      .filter(leaf => isLeafOfAttestation(leaf, leaf.data.attestation_id))
      .map(leaf => [leaf.data.attestation_id, leaf]),
  )
  const of = (leaf: ProvenLeaf | undefined, compare: (leaf: ProvenLeaf) => Comparison) =>
    leaf ? compare(leaf) : OPERATOR_ONLY

  return (
    file: string,
    { text, sha256 }: { text: string | undefined; sha256: string },
  ): Comparison | 'malformed' => {
    const [, id] = EVIDENCE_FILE.exec(file) ?? []
    if (id !== undefined) return of(by_attestation.get(id), leaf => compareEvidence(file, sha256, leaf))
    if (text === undefined || !file.endsWith('.json') || file.startsWith('log')) return OPERATOR_ONLY
    if (file === 'events.json') {
      const events = parseRecords(text)
      return events ? compareEvents(events, event => by_event.get(event), describe) : 'malformed'
    }
    const record = parseRecord(text)
    if (!record) return 'malformed'
    if (file.startsWith('attestations/'))
      return of(by_attestation.get(record.attestation_id), leaf => compareAttestation(record, leaf))
    if (file === 'control.json')
      return of(
        newest.find(leaf => isLeafOfControl(leaf, record.identifier)),
        leaf => compareControl(record, leaf),
      )
    if (file === 'snapshot.json')
      return of(
        newest.find(leaf => isLeafOfSnapshot(leaf, record.index)),
        leaf => compareSnapshot(record, leaf),
      )
    return OPERATOR_ONLY
  }
}
