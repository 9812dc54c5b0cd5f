// The leaf of an event: a few lines of text without personal data. An organization's Merkle tree is built from these.

export interface Leaf extends LeafContent {
  index: number
  /** In milliseconds; never smaller than in the previous leaf. */
  at_ms: number
}

/** A leaf before it has its number. */
export interface LeafContent {
  kind: string
  /** The id of the event, as callers know it. */
  event: string
  /** SHA-256 of salt and body. */
  body_hash: Buffer
  /** Subject tags in hexadecimal, ascending, each once. */
  about: readonly string[]
}

const LEAF_VERSION = 'waybill-leaf/v1'
export const MAX_TAGS = 16

export function formatLeaf(leaf: Leaf): string {
  return `${LEAF_VERSION}\nindex ${leaf.index}\nat ${leaf.at_ms}\n${formatLeafContent(leaf)}`
}

export function formatLeafContent({ kind, event, body_hash, about }: LeafContent): string {
  const tags = about.map(tag => `about ${tag}\n`).join('')
  return `kind ${kind}\nevent ${event}\nbody ${body_hash.toString('base64')}\n${tags}`
}

const LINES =
  /^waybill-leaf\/v1\nindex (0|[1-9]\d*)\nat (0|[1-9]\d*)\nkind ([a-z][a-z0-9_]*)\nevent ([0-9a-f-]{32})\nbody ([A-Za-z0-9+/]{43}=)\n((?:about [0-9a-f]{32}\n)*)$/

/** Returns undefined for anything that `formatLeaf` does not write. */
export function parseLeaf(text: string): Leaf | undefined {
  const match = LINES.exec(text)
  if (!match) return undefined
  const [, index = '', at = '', kind = '', event = '', body = '', tags = ''] = match
  const leaf: Leaf = {
    index: Number(index),
    at_ms: Number(at),
    kind,
    event,
    body_hash: Buffer.from(body, 'base64'),
    about: tags.split('\n').flatMap(line => (line === '' ? [] : line.slice('about '.length))),
  }
  const isSorted = leaf.about.every((tag, i) => i === 0 || (leaf.about[i - 1] ?? '') < tag)
  const isExact = Number.isSafeInteger(leaf.index) && Number.isSafeInteger(leaf.at_ms)
  const isCanonical = leaf.body_hash.toString('base64') === body
  return isSorted && isExact && isCanonical && leaf.about.length <= MAX_TAGS ? leaf : undefined
}
