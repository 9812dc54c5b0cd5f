// A receipt: what shows later that a write is still in the log. Each is one line of JSON, and complete: whoever has
// the line needs nothing else to check what the service said when it was made.
import { parseJson } from '../../../server/src/verifier/json.ts'

const VERSION = 'waybill-receipt/v1'

export interface Receipt {
  receipt: typeof VERSION
  kept_at: string
  host: string
  org: string
  /** The method and path of the write. */
  request: string
  /** The name of the log; null if the service could not sign it. */
  origin: string | null
  /** The place of the first leaf that the write recorded, and the number of its leaves. */
  index: number
  count: number
  /** In base64, like the salt. */
  leaf_hash: string
  /** A C2SP tlog-proof with the checkpoint; null if the service could not make one. */
  proof: string | null
  /** The key of the log that was trusted then. */
  vkey: string | null
  /** A hash, because the tag key itself would tell strangers which leaves of a public log are about what. */
  tag_key_sha256: string | null
  /** Null if the service did not hand them over, for example because the body was erased. */
  leaf: string | null
  salt: string | null
  body: string | null
  /** What the body says differently from the request, which is not kept. */
  contradictions: readonly string[]
}

export const makeReceipt = (receipt: Omit<Receipt, 'receipt'>): Receipt => ({ receipt: VERSION, ...receipt })

export const formatReceipt = (receipt: Receipt): string => `${JSON.stringify(receipt)}\n`

export interface Kept {
  /** The number of its line in the file, from 1. */
  line: number
  receipt: Receipt
}

export interface BrokenLine {
  line: number
  receipt: undefined
  /** The beginning of a receipt: the process that wrote it was killed, or the disk was full. */
  is_torn: boolean
}

export function parseLine(text: string, line: number): Kept | BrokenLine {
  const receipt = parseReceipt(text)
  return receipt === undefined ? { line, receipt, is_torn: isTorn(text) } : { line, receipt }
}

const TEXTS = ['kept_at', 'host', 'org', 'request', 'leaf_hash'] as const
const TEXTS_OR_NULL = ['origin', 'proof', 'vkey', 'tag_key_sha256', 'leaf', 'salt', 'body'] as const

export function parseReceipt(text: string): Receipt | undefined {
  const value = parseJson(text)
  const isWhole =
    value?.receipt === VERSION &&
    TEXTS.every(name => typeof value[name] === 'string') &&
    TEXTS_OR_NULL.every(name => value[name] === null || typeof value[name] === 'string') &&
    isCount(value.index) &&
    isCount(value.count) &&
    Array.isArray(value.contradictions) &&
    value.contradictions.every(each => typeof each === 'string')
  return isWhole ? (value as unknown as Receipt) : undefined
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

const BEGINNING = `{"receipt":"${VERSION}"`

function isTorn(text: string): boolean {
  const isBeginning = text.startsWith(BEGINNING) || BEGINNING.startsWith(text)
  return isBeginning && parseJson(text) === undefined
}
