// A leaf whose body is known, with the contents that the body commits to: what an audit package is compared with.

import { createHash } from 'node:crypto'
import { commitToPart } from '../log/commit.ts'
import type { Leaf } from '../log/leaf.ts'
import { toValues, type Values } from './records.ts'

export interface ProvenLeaf {
  index: number
  /** The id of the event. */
  event: string
  /** The kind of the event: the leaf of an imported one has another kind. */
  kind: string
  is_imported: boolean
  actor: string
  happened_at: string
  /** The flow, trail, environment, policy and control that it is about. */
  ids: Values
  data: Values
  parts: Values
  salt: Buffer
  /** By name, as the body commits to them. */
  contents: ReadonlyMap<string, string>
}

/** The body must be the one whose hash is in the leaf. */
export function toProvenLeaf(
  { index, event, kind }: Leaf,
  body: Values,
  salt: Buffer,
  contents: ReadonlyMap<string, string>,
): ProvenLeaf {
  const known = String(body.kind)
  return {
    index,
    event,
    kind: known,
    is_imported: kind !== known,
    actor: String(body.actor),
    happened_at: String(body.happened_at),
    ids: toValues(body.ids),
    data: toValues(body.data),
    parts: toValues(body.parts),
    salt,
    contents,
  }
}

/** Whether this is the content that the body names. */
export function isPart(name: string, content: string, parts: Values, salt: Buffer): boolean {
  const { commitment, sha256 } = toValues(parts[name])
  if (typeof sha256 === 'string') return createHash('sha256').update(content, 'utf8').digest('hex') === sha256
  return typeof commitment === 'string' && commitToPart(salt, name, content) === commitment
}
