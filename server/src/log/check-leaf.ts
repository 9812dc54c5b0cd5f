// Checks one leaf against the stored event: everything that was recorded must still say the same.

import { hashLeaf } from '@waybill/transparency-log'
import { formatBody } from '../domain/log/body.ts'
import { commitToPart, hashBody } from '../domain/log/commit.ts'
import { formatLeaf } from '../domain/log/leaf.ts'
import { toWireId } from '../lib/ids.ts'
import type { LeafWithEvent } from './check-store.ts'

const TAG_BYTES = 16

/** What was expected of the leaf by those before it. */
export interface ExpectedPlace {
  seq: number
  not_before_ms: number
}

/** Sentences that say what is wrong with the leaf; none if everything is as it was recorded. */
export function findLeafProblems(row: LeafWithEvent, expected: ExpectedPlace): string[] {
  if (row.seq !== expected.seq) return [`leaf ${expected.seq} is missing`]
  const problems: string[] = []
  if (row.logged_ms < expected.not_before_ms) problems.push('is older than the leaf before it')
  if (!hashLeaf(Buffer.from(formatStoredLeaf(row))).equals(row.leaf_hash)) problems.push('was changed')
  problems.push(...findBodyProblems(row))
  return problems.map(problem => `leaf ${row.seq} (${row.kind}) ${problem}`)
}

type LeafColumns = Pick<LeafWithEvent, 'seq' | 'logged_ms' | 'kind' | 'event_id' | 'body_hash' | 'tags'>

export function formatStoredLeaf({ seq, logged_ms, kind, event_id, body_hash, tags }: LeafColumns): string {
  const about = listTags(tags)
  return formatLeaf({ index: seq, at_ms: logged_ms, kind, event: toWireId(event_id), body_hash, about })
}

function listTags(tags: Buffer): string[] {
  return Array.from({ length: tags.length / TAG_BYTES }, (_, i) =>
    tags.subarray(i * TAG_BYTES, (i + 1) * TAG_BYTES).toString('hex'),
  )
}

function findBodyProblems(row: LeafWithEvent): string[] {
  const { event_kind, happened_at, actor, request_id, data, salt, body_hash } = row
  if (event_kind === null || happened_at === null || actor === null || request_id === null || data === null)
    return ['has lost its event']
  if (salt === null) return ['has lost the salt of its event']
  const body = formatBody({ ...row, kind: event_kind, happened_at, actor, request_id, data })
  if (!hashBody(salt, body).equals(body_hash)) return ['does not fit its event: the event was changed']
  return findContentProblems(row, salt)
}

function findContentProblems({ named, contents }: LeafWithEvent, salt: Buffer): string[] {
  return Object.entries(contents ?? {}).flatMap(([name, text]) => {
    if (text === null) return [`has lost the ${name} that its event names`]
    if (commitToPart(salt, name, text) === named?.[name]?.commitment) return []
    return [`does not fit the stored ${name}: the ${name} was changed`]
  })
}
