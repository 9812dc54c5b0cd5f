// Checks one leaf against the stored event: everything that was recorded must still say the same.

import { hashLeaf } from '@waybill/transparency-log'
import { commitToPart, computeTag, hashBody } from '../domain/log/commit.ts'
import { formatLeaf } from '../domain/log/leaf.ts'
import { listSubjects } from '../domain/log/subjects.ts'
import { COVERAGE } from '../events/coverage.ts'
import type { EventKind } from '../events/kinds.ts'
import { toWireId } from '../lib/ids.ts'
import type { LeafWithEvent } from './check-store.ts'
import { printStoredBody } from './stored-body.ts'

const TAG_BYTES = 16
/** An event of a newer version: its data alone can be checked. */
const NO_COVERAGE = { about: [] }

/** What was expected of the leaf by those before it. */
export interface ExpectedPlace {
  seq: number
  not_before_ms: number
  tag_key: Buffer
}

/** Sentences that say what is wrong with the leaf; none if everything is as it was recorded. */
export function findLeafProblems(row: LeafWithEvent, expected: ExpectedPlace): string[] {
  if (row.seq !== expected.seq) return [`leaf ${expected.seq} is missing`]
  const problems: string[] = []
  if (row.logged_ms < expected.not_before_ms) problems.push('is older than the leaf before it')
  if (!hashLeaf(Buffer.from(formatStoredLeaf(row))).equals(row.leaf_hash)) problems.push('was changed')
  problems.push(...findBodyProblems(row, expected.tag_key))
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

function findBodyProblems(row: LeafWithEvent, tag_key: Buffer): string[] {
  const { event_kind, data, values, salt, body_hash } = row
  if (event_kind === null || data === null || values === null) return ['has lost its event']
  if (salt === null) return ['has lost the salt of its event']
  const body = printStoredBody(row)
  if (body === undefined || !hashBody(salt, body).equals(body_hash))
    return ['does not fit its event: the event was changed']
  const { about } = COVERAGE[event_kind as EventKind] ?? NO_COVERAGE
  const subjects = listSubjects({ ...row, data: values, parts: row.named }, about)
  const tags = [...new Set(subjects.map(subject => computeTag(tag_key, subject)))].sort()
  if (tags.join() !== listTags(row.tags).join()) return ['does not have the tags of what its event is about']
  if (!row.is_stored) return ['does not fit what is stored: it was changed']
  return findContentProblems(row, salt)
}

function findContentProblems({ named, contents }: LeafWithEvent, salt: Buffer): string[] {
  return Object.entries(contents ?? {}).flatMap(([name, text]) => {
    if (text === null) return [`has lost the ${name} that its event names`]
    const { commitment, sha256 } = named?.[name] ?? {}
    if (name === 'state' ? text === sha256 : commitToPart(salt, name, text) === commitment) return []
    return [`does not fit the stored ${name}: the ${name} was changed`]
  })
}
