// Verifies an audit package: the log names it, nothing in it was changed, every event in it is as recorded, and its
// records say what the events say. No file is trusted before its hash is checked.
import { createReadStream } from 'node:fs'
import type { Policy } from '@waybill/transparency-log'
import type { DescribeEvent } from '../domain/audit-package/compare.ts'
import { describeComparison } from '../domain/audit-package/comparison.ts'
import { describeOtherName } from '../domain/audit-package/record-files.ts'
import { SEAL_FILES } from '../domain/audit-package/seal.ts'
import { listUnproved, type ShownFile } from '../domain/audit-package/unproved.ts'
import { type CheckedCheckpoints, checkCheckpoints, type KnownCheckpoint, readNote } from './checkpoints.ts'
import { escapeText } from './escape.ts'
import { type Finding, type Findings, makeFindings } from './findings.ts'
import { toValues } from './json.ts'
import { compareContents } from './package-contents.ts'
import { checkManifest, readPackageFiles } from './package-files.ts'
import { CHECKPOINT, type PackageLeaves, proveLeaves } from './package-leaves.ts'
import { checkConsistency, checkSignatures, readSeal, type Seal } from './seal.ts'

export interface PackageVerification {
  verdict: 'shown' | 'false' | 'unknown'
  files: number
  /** The leaf numbers of events that are as recorded and in the log. */
  proved: number[]
  log: ({ origin: string; size: number } & Pick<CheckedCheckpoints, 'signed_by' | 'witnesses'>) | undefined
  /** The leaf that names the package, and what was asked for. */
  seal:
    | { leaf: number; recorded_at: string; asked_by: string; scope: string; subject: string | null }
    | undefined
  /** What proves each file. */
  shown: ShownFile[]
  findings: Finding[]
}

export interface PackageParts {
  policy: Policy
  /** Writes the sentences of events again; without it, they count as said by the operator only. */
  describe: DescribeEvent
}

export function verifyPackage(path: string, parts: PackageParts): Promise<PackageVerification> {
  return verifyPackageStream(createReadStream(path), parts)
}

export async function verifyPackageStream(
  source: NodeJS.ReadableStream,
  { policy, describe }: PackageParts,
): Promise<PackageVerification> {
  const findings = makeFindings()
  const files = await readPackageFiles(source, findings)
  checkManifest(files, findings)
  const seal = readSeal(files.kept, findings)
  const log = checkLog(files.kept, { seal, policy }, findings)
  const found: PackageLeaves = log
    ? proveLeaves(files.kept, findings)
    : { proved: [], leaves: [], erased: [], files: new Map() }
  const shown = compareContents(files, found, describe, findings)
  const other_name = describeOtherName(files.kept, found.leaves)
  if (other_name !== undefined) findings.add('V12', 'note', other_name)
  if (seal) {
    const scope = String(toValues(seal.issued).scope)
    for (const text of listUnproved(shown, { ...files, ...found, scope }))
      findings.add('V12', 'unknown', text)
  }
  return {
    verdict: findings.has('false') ? 'false' : findings.has('unknown') ? 'unknown' : 'shown',
    files: files.hashes.size,
    proved: found.proved,
    log,
    seal: seal && toShownSeal(seal),
    shown,
    findings: findings.list(),
  }
}

function toShownSeal({ leaf, actor, issued }: Seal): NonNullable<PackageVerification['seal']> {
  const { scope, subject } = toValues(issued)
  return {
    leaf: leaf.index,
    recorded_at: new Date(leaf.at_ms).toISOString(),
    asked_by: actor,
    scope: String(scope),
    subject: typeof subject === 'string' ? subject : null,
  }
}

function checkLog(
  kept: ReadonlyMap<string, string>,
  { seal, policy }: { seal: Seal | undefined; policy: Policy },
  findings: Findings,
): PackageVerification['log'] {
  const text = kept.get(CHECKPOINT)
  if (text === undefined) {
    const level = seal ? 'false' : 'unknown'
    findings.add('V2', level, 'the package has no checkpoint of a log: only its sums could be compared')
    return undefined
  }
  const of_proofs = readNote(text, seal ? 'earlier' : 'newest', CHECKPOINT, findings)
  if (!of_proofs) return undefined
  const newest = seal?.checkpoint ?? of_proofs
  if (seal)
    checkConsistency(of_proofs, { sealed: newest, text: kept.get(SEAL_FILES.consistency) ?? '' }, findings)
  const all: KnownCheckpoint[] = seal ? [newest, of_proofs] : [of_proofs]
  // The package has single leaves, so the roots are the signed ones; each proof must lead to one.
  const roots = new Map(all.map(({ size, root }) => [size, root]))
  // The seal is moments old, and witnesses cosign once a minute: they vouch for the log that it continues.
  const { signed_by, witnesses } = checkCheckpoints(all, {
    policy,
    keys: [],
    roots,
    witnessed: of_proofs,
    findings,
  })
  if (signed_by.length > 0 && seal) checkSignatures(newest, signed_by, findings)
  return { origin: newest.origin, size: newest.size, signed_by, witnesses }
}

const CONCLUSIONS = {
  shown:
    'Every file is unchanged, and every event is in the log. What is not in the package, it cannot show.',
  false: 'Something is false: do not rely on this package.',
  unknown: 'Something cannot be checked.',
}

export function printPackage({
  files,
  proved,
  log,
  seal,
  shown,
  findings,
  verdict,
}: PackageVerification): string {
  return [
    `Package: ${files} files, ${proved.length} events that are in the log`,
    ...(seal
      ? [
          `Sealed by leaf ${seal.leaf} at ${seal.recorded_at}: ${seal.scope}${seal.subject === null ? '' : ` ${seal.subject}`}, for ${seal.asked_by}`,
        ]
      : []),
    ...(log
      ? [`Log ${log.origin}: ${log.size} leaves, signed by ${log.signed_by.join(', ') || 'nobody you trust'}`]
      : []),
    ...listFiles(shown),
    ...findings.map(({ code, level, text }) => `${code} ${level === 'note' ? 'note: ' : ''}${text}`),
    CONCLUSIONS[verdict],
  ]
    .map(escapeText)
    .join('\n')
}

const OF_THE_LOG = /^(log|parts)\//

function listFiles(shown: readonly ShownFile[]): string[] {
  const leaves = shown.filter(({ file, proved_by }) => OF_THE_LOG.test(file) && proved_by.length > 0)
  const others = shown.filter(each => !leaves.includes(each) && each.file !== CHECKPOINT)
  return [
    ...(leaves.length > 0 ? [`  log/ and parts/: ${leaves.length} files of leaves that are in the log`] : []),
    ...others.map(each => `  ${each.file}: ${describeComparison(each)}`),
  ]
}
