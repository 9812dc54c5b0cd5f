// Verifies an audit package: nothing was changed on the way, every event in it is as recorded, and every event is in
// the log that a trusted key signed. No file is trusted before its hash is checked.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import {
  formatNote,
  hashLeaf,
  LogProblem,
  type Policy,
  parseProofFile,
  provesInclusion,
} from '@waybill/transparency-log'
import { extract } from 'tar-stream'
import { parseLeaf } from '../domain/log/leaf.ts'
import { checkBody } from './bodies.ts'
import { type CheckedCheckpoints, checkCheckpoints, readNote } from './checkpoints.ts'
import { type Finding, type Findings, makeFindings } from './findings.ts'
import { parseJson } from './json.ts'
import { Unreadable } from './log-files.ts'

const MANIFEST = 'manifest.sha256'
const CHECKPOINT = 'log/checkpoint'
const MANIFEST_LINE = /^([0-9a-f]{64}) {2}(.+)$/
const LEAF_FILE = /^log\/(\d+)\.json$/
/** The files that are examined; all others are only hashed. */
const MAX_KEPT_BYTES = 512 * 1024 * 1024

export interface PackageVerification {
  verdict: 'shown' | 'false' | 'unknown'
  files: number
  /** The leaf numbers of events that are as recorded and in the log. */
  proved: number[]
  log: ({ origin: string; size: number } & Pick<CheckedCheckpoints, 'signed_by' | 'witnesses'>) | undefined
  findings: Finding[]
}

export async function verifyPackage(path: string, policy: Policy): Promise<PackageVerification> {
  const findings = makeFindings()
  const { hashes, kept } = await readFiles(path, findings)
  checkManifest(hashes, kept.get(MANIFEST), findings)
  const log = checkLog(kept, policy, findings)
  const proved = log ? proveEvents(kept, findings) : []
  return {
    verdict: findings.has('false') ? 'false' : findings.has('unknown') ? 'unknown' : 'shown',
    files: hashes.size,
    proved,
    log,
    findings: findings.list(),
  }
}

interface ReadFiles {
  hashes: Map<string, string>
  kept: Map<string, string>
}

async function readFiles(path: string, findings: Findings): Promise<ReadFiles> {
  const files: ReadFiles = { hashes: new Map(), kept: new Map() }
  const source = createReadStream(path)
  const unzipped = source.on('error', error => unzipped.destroy(error)).pipe(createGunzip())
  const archive = unzipped.on('error', error => archive.destroy(error)).pipe(extract())
  let left = MAX_KEPT_BYTES
  try {
    for await (const entry of archive) {
      const { name } = entry.header
      if (files.hashes.has(name)) findings.add('V1', 'false', `the package has ${name} twice`)
      const isKept = name === MANIFEST || name.startsWith('log/')
      const { sha256, text, bytes } = await readEntry(entry, isKept ? left : undefined)
      files.hashes.set(name, sha256)
      if (!isKept) continue
      left -= bytes
      files.kept.set(name, text)
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw new Unreadable(
      `${path} is not a complete audit package: ${error instanceof Error ? error.message : error}`,
    )
  }
  return files
}

async function readEntry(content: AsyncIterable<unknown>, keep: number | undefined) {
  const sum = createHash('sha256')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const each of content) {
    const chunk = Buffer.from(each as Uint8Array)
    sum.update(chunk)
    bytes += chunk.length
    if (keep === undefined) continue
    if (bytes > keep) throw new Unreadable('The log in the package is too large to verify')
    chunks.push(chunk)
  }
  return { sha256: sum.digest('hex'), text: Buffer.concat(chunks).toString('utf8'), bytes }
}

/** No file may differ, be missing or be unlisted. */
function checkManifest(
  hashes: ReadonlyMap<string, string>,
  manifest: string | undefined,
  findings: Findings,
): void {
  const refuse = (text: string) => findings.add('V1', 'false', text)
  if (manifest === undefined) refuse('the package has no manifest')
  const listed = new Set<string>()
  for (const line of (manifest ?? '').split('\n').filter(each => each !== '')) {
    const [, sha256, name = ''] = MANIFEST_LINE.exec(line) ?? []
    if (sha256 === undefined) refuse(`the manifest has a line that is not a sum: ${line.slice(0, 100)}`)
    else if (listed.has(name)) refuse(`the manifest lists ${name} twice`)
    else if (!hashes.has(name)) refuse(`${name} is missing`)
    else if (hashes.get(name) !== sha256)
      refuse(`${name} differs from the manifest: the package was changed or damaged`)
    listed.add(name)
  }
  for (const name of hashes.keys())
    if (name !== MANIFEST && !listed.has(name)) refuse(`${name} is not in the manifest`)
}

function checkLog(
  kept: ReadonlyMap<string, string>,
  policy: Policy,
  findings: Findings,
): PackageVerification['log'] {
  const text = kept.get(CHECKPOINT)
  if (text === undefined) {
    findings.add('V2', 'unknown', 'the package has no checkpoint of a log: only its sums could be compared')
    return undefined
  }
  const checkpoint = readNote(text, 'newest', CHECKPOINT, findings)
  if (!checkpoint) return undefined
  const { origin, size, root } = checkpoint
  // The package has single leaves, so the root is the signed one; each proof must lead to it.
  const roots = new Map([[size, root]])
  const { signed_by, witnesses } = checkCheckpoints([checkpoint], { policy, keys: [], roots, findings })
  return { origin, size, signed_by, witnesses }
}

function proveEvents(kept: ReadonlyMap<string, string>, findings: Findings): number[] {
  const indexes = [...kept.keys()].flatMap(name => LEAF_FILE.exec(name)?.[1] ?? []).map(Number)
  if (indexes.length === 0) findings.add('V7', 'note', 'the package has no events')
  return indexes.sort((a, b) => a - b).filter(index => provesEvent(index, kept, findings))
}

function provesEvent(index: number, kept: ReadonlyMap<string, string>, findings: Findings): boolean {
  const refuse = (level: 'false' | 'unknown', text: string) => {
    findings.add('V7', level, text)
    return false
  }
  const { leaf: leaf_text, body, salt, epoch } = parseJson(kept.get(`log/${index}.json`) ?? '') ?? {}
  const leaf = typeof leaf_text === 'string' ? parseLeaf(leaf_text) : undefined
  if (!leaf || leaf.index !== index) return refuse('false', `log/${index}.json is not leaf ${index}`)
  const proof_text = kept.get(`log/${index}.tlog-proof`)
  if (proof_text === undefined)
    return refuse(
      'unknown',
      `leaf ${index} has no proof${epoch === undefined ? '' : `: it is of log ${epoch}`}`,
    )
  const problem = findProofProblem(index, proof_text, Buffer.from(String(leaf_text)), kept.get(CHECKPOINT))
  if (problem !== undefined) return refuse('false', problem)
  if (typeof body !== 'string' || typeof salt !== 'string') {
    findings.add('V10', 'note', `the body of leaf ${index} (${leaf.kind}) was erased`)
    return true
  }
  return checkBody(leaf, { index, salt, body }, findings) !== undefined
}

function findProofProblem(
  index: number,
  text: string,
  leaf: Buffer,
  checkpoint: string | undefined,
): string | undefined {
  try {
    const proof = parseProofFile(text)
    if (formatNote(proof.checkpoint) !== checkpoint)
      return `the proof of leaf ${index} is of another checkpoint`
    if (proof.index !== index || !provesInclusion(proof, hashLeaf(leaf)))
      return `leaf ${index} is not in the log`
    return undefined
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return `log/${index}.tlog-proof is not a proof: ${error.message}`
  }
}

export function printPackage({ files, proved, log, findings, verdict }: PackageVerification): string {
  const CONCLUSIONS = {
    shown:
      'Every file is unchanged, and every event is in the log. What is not in the package, it cannot show.',
    false: 'Something is false: do not rely on this package.',
    unknown: 'Something cannot be checked.',
  }
  return [
    `Package: ${files} files, ${proved.length} events that are in the log`,
    ...(log
      ? [`Log ${log.origin}: ${log.size} leaves, signed by ${log.signed_by.join(', ') || 'nobody you trust'}`]
      : []),
    ...findings.map(({ code, level, text }) => `${code} ${level === 'note' ? 'note: ' : ''}${text}`),
    CONCLUSIONS[verdict],
  ].join('\n')
}
