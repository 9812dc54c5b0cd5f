// Makes the receipt of a write from its response, checks it at once, and appends it to the file. The write is stored
// by then: nothing here may make it fail.
import { hash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { formatVerifierKey } from '@waybill/transparency-log'
import { computeTag, hashBody } from '../../../server/src/domain/log/commit.ts'
import { formatLeaf } from '../../../server/src/domain/log/leaf.ts'
import { parseJson } from '../../../server/src/verifier/json.ts'
import type { Api } from '../http/api.ts'
import type { Answer, Call } from '../http/call.ts'
import { escapeControls } from '../print/table.ts'
import {
  CHANGED,
  findProblems,
  judgeSignatures,
  listSigners,
  parseKey,
  readTree,
  type SignedTree,
} from './check.ts'
import { findContradictions } from './contradictions.ts'
import { appendReceipt, findLast } from './file.ts'
import { isApplied, type LeafHeader, type Place, readLeafHeader, readPlace, readProof } from './headers.ts'
import { makeReceipt, type Receipt } from './receipt.ts'

export interface KeepParts {
  file: string
  host: string
  api: Api
  now_ms(): number
  /** A remark of one line. */
  say(text: string): void
  /** Something is false. */
  warn(text: string): void
}

export type Outcome = 'kept' | 'nothing was recorded' | 'there is no log'

/** What the file says about the organization before the write. */
export interface Known {
  org: string
  /** The last receipt, whose key is trusted. */
  last: Receipt | undefined
  problems: string[]
}

/** For the time in which the program waits for the service. */
export function readKnown({ path }: Call, { file, host }: Pick<KeepParts, 'file' | 'host'>): Known {
  const org = readOrg(path)
  const last = findLast(file, receipt => receipt.host === host && receipt.org === org)
  warmUp()
  // Whoever edits the last receipt would choose the key that is trusted.
  if (last === undefined || isInOrder(last)) return { org, last, problems: [] }
  return { org, last: undefined, problems: [`the receipt before it in ${file} is not in order either`] }
}

/** The compressed form of an empty text. */
const NOTHING = Buffer.from([3, 0])
const NO_KEY = { name: 'none', type: 'note', id: '00000000', public_key: Buffer.alloc(32) } as const
const NO_NOTE = { text: '', signatures: [{ name: 'none', id: '00000000', signature: Buffer.alloc(64) }] }

/** Their first use takes milliseconds. */
function warmUp(): void {
  inflateRawSync(NOTHING)
  computeTag(NOTHING, { type: 'flow', id: '' })
  judgeSignatures(NO_NOTE, [NO_KEY])
}

function isInOrder(receipt: Receipt): boolean {
  const tree = readTree(receipt)
  const key = tree && parseKey(receipt.vkey, tree.origin)
  if (tree && key && judgeSignatures(tree.note, [key]) === 'changed') return false
  return findProblems({ ...receipt, contradictions: [] }, undefined).length === 0
}

export interface Write {
  call: Call
  answer: Answer
  known: Known
}

export async function keepReceipt({ call, answer, known }: Write, parts: KeepParts): Promise<Outcome> {
  const place = readPlace(answer.headers)
  if (place === undefined) return explainNothing({ call, answer, known }, parts)
  const { file, host, say } = parts
  const { org, last } = known
  const handed = readLeafHeader(answer.headers)
  const draft = makeReceipt({
    kept_at: new Date(parts.now_ms()).toISOString(),
    host,
    org,
    request: `${call.method} ${call.path}`,
    ...place,
    proof: readProof(answer.headers),
    origin: null,
    vkey: null,
    tag_key_sha256: handed?.tag_key ? hash('sha256', handed.tag_key, 'hex') : null,
    ...(await readLeaf(place, org, handed, parts)),
    contradictions: [],
  })
  const tree = readTree(draft)
  const trusted = tree && (await judgeTree(tree, handed, known, parts))
  const receipt = {
    ...draft,
    origin: tree?.origin ?? null,
    vkey: trusted?.vkey ?? null,
    contradictions: findContradictions(call, draft),
  }
  const problems = [
    ...findProblems(receipt, handed?.tag_key),
    ...(trusted?.problems ?? []),
    ...findChanges(receipt, last),
    ...known.problems,
  ]
  appendReceipt(file, receipt)
  if (receipt.proof === null)
    say(`The receipt of leaf ${receipt.index} has no proof: the service cannot sign its log now.`)
  if (problems.length > 0) parts.warn(describeProblems(receipt, problems, file))
  return 'kept'
}

/** A service that drops a write could say that nothing was recorded. */
function explainNothing({ call, answer, known }: Write, { file, warn }: KeepParts): Outcome {
  const isNoLog = !isApplied(answer.headers)
  if (isNoLog && known.last === undefined) return 'there is no log'
  if (isNoLog) warn(`WARNING: the service shows no log any more, and ${file} has receipts of one. ${ASK}`)
  else if (ALWAYS_RECORDED.test(`${call.method} ${call.path}`))
    warn(`WARNING: the service says that ${call.method} ${call.path} recorded nothing. ${ASK}`)
  return 'nothing was recorded'
}

const ASK = 'Ask the operator why.'
const ALWAYS_RECORDED = /^POST \/attestations\//

/** Every path with leaves names its organization after the noun. */
const readOrg = (path: string): string => decodeURIComponent(path.split('/')[2] ?? '')

async function readLeaf(
  { index }: Place,
  org: string,
  handed: LeafHeader | undefined,
  { api, say }: KeepParts,
): Promise<Pick<Receipt, 'leaf' | 'salt' | 'body'>> {
  if (handed?.leaf) {
    const { at_ms, event, tags: about, salt, body } = handed.leaf
    const kind = String(parseJson(body)?.kind)
    const body_hash = hashBody(Buffer.from(salt, 'base64'), body)
    return { leaf: formatLeaf({ index, at_ms, kind, event, body_hash, about }), salt, body }
  }
  const { requestLeaf } = await import('./request-more.ts')
  const found = await requestLeaf(api, org, index)
  if ('leaf' in found) return found
  say(`What leaf ${index} says could not be checked: ${escapeControls(found.problem)}`)
  return { leaf: null, salt: null, body: null }
}

interface Trusted {
  /** The key that is trusted from now on. */
  vkey: string | null
  problems: string[]
}

/** The key of the first receipt of a log is kept. Another one counts only if the log shows that it took over. */
async function judgeTree(
  tree: SignedTree,
  handed: LeafHeader | undefined,
  { last, org }: Known,
  { file, api }: KeepParts,
): Promise<Trusted> {
  const { origin, note } = tree
  const isOfLog = (receipt: Receipt) => receipt.origin === origin && receipt.vkey !== null
  const before = last && isOfLog(last) ? last : findLast(file, isOfLog)
  const vkey = before?.vkey ?? `${origin}+${handed?.key}`
  const key = parseKey(vkey, origin)
  if (key === undefined) return { vkey: null, problems: [] }
  const signed = judgeSignatures(note, [key])
  if (signed === 'trusted') return { vkey, problems: [] }
  if (signed === 'changed') return { vkey, problems: [CHANGED] }
  const { findSuccessor } = await import('./request-more.ts')
  const successor = before && (await findSuccessor(key, tree, { file, api, org }))
  if (successor) return { vkey: formatVerifierKey(successor), problems: [] }
  const stranger = `its checkpoint is signed by ${listSigners(note)}, and nothing shows that this key took over from ${key.id}`
  return { vkey, problems: [stranger] }
}

function findChanges(receipt: Receipt, last: Receipt | undefined): string[] {
  if (!last?.origin || !receipt.origin) return []
  if (last.origin !== receipt.origin)
    return [`the organization had the log ${last.origin} before, and now has ${receipt.origin}`]
  const isSame = last.tag_key_sha256 === null || receipt.tag_key_sha256 === null
  return isSame || last.tag_key_sha256 === receipt.tag_key_sha256
    ? []
    : ['the service uses another tag key for this log than before']
}

const describeProblems = ({ index, request }: Receipt, problems: readonly string[], file: string): string =>
  [
    `WARNING: the receipt of ${request} (leaf ${index}) is not in order:`,
    ...problems.map(problem => `  ${escapeControls(problem)}`),
    `The write is recorded, and the receipt is kept in ${file} as evidence. ${ASK}`,
  ].join('\n')
