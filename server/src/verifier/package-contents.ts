// Compares what an audit package says with what its leaves prove, file by file.
import {
  compareAttestation,
  compareEvents,
  compareEvidence,
  type DescribeEvent,
  isLeafOfAttestation,
} from '../domain/audit-package/compare.ts'
import { type Comparison, OPERATOR_ONLY } from '../domain/audit-package/comparison.ts'
import type { ProvenLeaf } from '../domain/audit-package/proven-leaf.ts'
import { compareRecordFile, findSnapshot, readScope } from '../domain/audit-package/record-files.ts'
import { parseRecord, parseRecords } from '../domain/audit-package/records.ts'
import { MANIFEST } from '../domain/audit-package/seal.ts'
import { compareRunning, isRunningFile } from '../domain/audit-package/snapshot.ts'
import { refuseForeign } from '../domain/audit-package/trail.ts'
import type { ShownFile } from '../domain/audit-package/unproved.ts'
import type { Findings } from './findings.ts'
import type { PackageFiles } from './package-files.ts'
import type { PackageLeaves } from './package-leaves.ts'

const EVIDENCE_FILE = /^evidence\/([0-9a-f-]{32})\//

/** Every file but the manifest and the seal, in the order of the package. */
export function compareContents(
  { hashes, kept }: PackageFiles,
  found: PackageLeaves,
  describe: DescribeEvent,
  findings: Findings,
): ShownFile[] {
  const compare = makeCompare(kept, found.leaves, describe)
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

function makeCompare(
  kept: ReadonlyMap<string, string>,
  leaves: readonly ProvenLeaf[],
  describe: DescribeEvent,
) {
  const by_event = new Map(leaves.map(leaf => [leaf.event, leaf]))
  const by_attestation = new Map(
    leaves
      .filter(leaf => isLeafOfAttestation(leaf, leaf.data.attestation_id))
      .map(leaf => [leaf.data.attestation_id, leaf]),
  )
  const scope = readScope(kept, leaves)
  const snapshot = findSnapshot(kept, leaves)
  const compareEvidenceOf = (id: unknown, compare: (leaf: ProvenLeaf) => Comparison) => {
    const leaf = by_attestation.get(id)
    return leaf ? refuseForeign(compare(leaf), leaf, scope) : OPERATOR_ONLY
  }

  return (
    file: string,
    { text, sha256 }: { text: string | undefined; sha256: string },
  ): Comparison | 'malformed' => {
    const [, id] = EVIDENCE_FILE.exec(file) ?? []
    if (id !== undefined) return compareEvidenceOf(id, leaf => compareEvidence(file, sha256, leaf))
    if (text === undefined || !file.endsWith('.json') || file.startsWith('log')) return OPERATOR_ONLY
    if (file === 'events.json') {
      const events = parseRecords(text)
      return events ? compareEvents(events, event => by_event.get(event), describe) : 'malformed'
    }
    if (isRunningFile(file)) {
      const artifacts = parseRecords(text)
      if (!artifacts) return 'malformed'
      return snapshot ? compareRunning(artifacts, snapshot) : OPERATOR_ONLY
    }
    if (!file.startsWith('attestations/')) return compareRecordFile(file, text, leaves)
    const record = parseRecord(text)
    if (!record) return 'malformed'
    return compareEvidenceOf(record.attestation_id, leaf => compareAttestation(record, leaf))
  }
}
