// The leaves in an audit package: each must be in the log, and its body and contents must be what was recorded.
import {
  formatNote,
  formatProofFile,
  hashLeaf,
  LogProblem,
  parseProofFile,
  provesInclusion,
} from '@waybill/transparency-log'
import { isPart, type ProvenLeaf, toProvenLeaf } from '../domain/audit-package/proven-leaf.ts'
import type { Leaf } from '../domain/log/leaf.ts'
import { checkBody } from './bodies.ts'
import type { Findings } from './findings.ts'
import { parseJson, toValues, type Values } from './json.ts'
import { readLeafFile } from './seal.ts'

export const CHECKPOINT = 'log/checkpoint'
const LEAF_FILE = /^log\/(0|[1-9]\d*)\.json$/
const PART_FILE = /^parts\/(0|[1-9]\d*)\/([a-z_]+)$/
const ERASED = 'body_erased'

export interface PackageLeaves {
  /** The numbers of the leaves that are in the log. */
  proved: number[]
  /** Those with their bodies. */
  leaves: ProvenLeaf[]
  /** The events whose bodies were erased, as a later leaf says. */
  erased: string[]
  /** The files that show them. */
  files: Map<string, number>
}

export function proveLeaves(kept: ReadonlyMap<string, string>, findings: Findings): PackageLeaves {
  const found: PackageLeaves = { proved: [], leaves: [], erased: [], files: new Map() }
  const indexes = [...kept.keys()].flatMap(name => LEAF_FILE.exec(name)?.[1] ?? []).map(Number)
  if (indexes.length === 0) findings.add('V7', 'note', 'the package has no events')
  const parts = groupParts(kept)
  const without: Leaf[] = []
  for (const index of indexes.sort((a, b) => a - b)) {
    const proved = proveLeaf(index, kept, findings)
    if (!proved) continue
    const { leaf, body, salt } = proved
    if (body === undefined || salt === undefined) without.push(leaf)
    const values =
      body === undefined || salt === undefined ? undefined : readBody(leaf, { body, salt }, findings)
    if (body !== undefined && !values) continue
    found.proved.push(index)
    found.files.set(`log/${index}.json`, index).set(`log/${index}.tlog-proof`, index)
    if (!values || salt === undefined) continue
    const salt_bytes = Buffer.from(salt, 'base64')
    const contents = checkContents(
      leaf,
      { parts: toValues(values.parts), salt: salt_bytes },
      parts.get(index),
      findings,
    )
    for (const name of contents.keys()) found.files.set(`parts/${index}/${name}`, index)
    found.leaves.push(toProvenLeaf(leaf, values, salt_bytes, contents))
  }
  found.erased = explainMissing(without, found.leaves, kept, findings)
  return found
}

function groupParts(kept: ReadonlyMap<string, string>): Map<number, Map<string, string>> {
  const all = new Map<number, Map<string, string>>()
  for (const [file, text] of kept) {
    const [, index, name] = PART_FILE.exec(file) ?? []
    if (index === undefined || name === undefined) continue
    all.set(Number(index), (all.get(Number(index)) ?? new Map()).set(name, text))
  }
  return all
}

function proveLeaf(index: number, kept: ReadonlyMap<string, string>, findings: Findings) {
  const refuse = (level: 'false' | 'unknown', text: string) => {
    findings.add('V7', level, text)
    return undefined
  }
  const file = readLeafFile(kept.get(`log/${index}.json`) ?? '')
  const { leaf, text = '', epoch, body, salt } = file ?? {}
  if (!leaf || leaf.index !== index || file?.index !== index)
    return refuse('false', `log/${index}.json is not leaf ${index}`)
  const proof_text = kept.get(`log/${index}.tlog-proof`)
  if (proof_text === undefined)
    return refuse(
      'unknown',
      `leaf ${index} has no proof${epoch === undefined ? '' : `: it is of log ${epoch}`}`,
    )
  const problem = findProofProblem(index, proof_text, Buffer.from(text), kept.get(CHECKPOINT))
  return problem === undefined ? { leaf, body, salt } : refuse('false', problem)
}

function findProofProblem(
  index: number,
  text: string,
  leaf: Buffer,
  checkpoint: string | undefined,
): string | undefined {
  try {
    const proof = parseProofFile(text)
    if (formatNote(proof.checkpoint) !== checkpoint || formatProofFile(proof) !== text)
      return `the proof of leaf ${index} is of another checkpoint`
    if (proof.index !== index || !provesInclusion(proof, hashLeaf(leaf)))
      return `leaf ${index} is not in the log`
    return undefined
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return `log/${index}.tlog-proof is not a proof: ${error.message}`
  }
}

function readBody(
  leaf: Leaf,
  stored: { body: string; salt: string },
  findings: Findings,
): Values | undefined {
  const checked = checkBody(leaf, { index: leaf.index, ...stored }, findings)
  return checked && parseJson(stored.body)
}

function checkContents(
  { index, kind }: Leaf,
  { parts, salt }: { parts: Values; salt: Buffer },
  given: ReadonlyMap<string, string> | undefined,
  findings: Findings,
): Map<string, string> {
  const contents = new Map<string, string>()
  for (const [name, text] of given ?? []) {
    if (isPart(name, text, parts, salt)) contents.set(name, text)
    else findings.add('V10', 'false', `parts/${index}/${name} is not the ${name} of leaf ${index} (${kind})`)
  }
  return contents
}

/** Whoever removes a body from a package must not be able to call it erased. */
function explainMissing(
  missing: readonly Leaf[],
  leaves: readonly ProvenLeaf[],
  kept: ReadonlyMap<string, string>,
  findings: Findings,
): string[] {
  const erased: string[] = []
  const [origin = ''] = (kept.get(CHECKPOINT) ?? '').split('\n')
  for (const { index, event, kind } of missing) {
    const erasure = leaves.find(
      ({ index: by, kind: its, data }) =>
        its === ERASED &&
        by > index &&
        data.index === index &&
        data.event === event &&
        origin.endsWith(`/${data.epoch}`),
    )
    if (erasure) {
      erased.push(event)
      findings.add('V10', 'note', `the body of leaf ${index} (${kind}) was erased by leaf ${erasure.index}`)
    } else
      findings.add(
        'V10',
        'false',
        `the body of leaf ${index} (${kind}) is missing and no erasure is recorded`,
      )
  }
  return erased
}
