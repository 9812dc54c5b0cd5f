// Checks one leaf against the stored event: nothing that was recorded may have changed.

import { hashLeaf } from '@waybill/transparency-log'
import { commitToPart, computeTag, hashBody, type SubjectType } from '../domain/log/commit.ts'
import { ERASED, isErasureOf } from '../domain/log/erasure.ts'
import { HISTORY_IMPORTED } from '../domain/log/history.ts'
import { formatLeaf } from '../domain/log/leaf.ts'
import { listSubjects } from '../domain/log/subjects.ts'
import { COVERAGE, type Coverage } from '../events/coverage.ts'
import type { EventKind } from '../events/kinds.ts'
import { toWireId } from '../lib/ids.ts'
import type { LeafWithEvent } from './check-store.ts'
import { printStoredBody } from './stored-body.ts'

const TAG_BYTES = 16
/** For an event of a newer version: only its data can be checked. */
const NO_COVERAGE: Pick<Coverage, 'about'> = { about: [] }
/** The subjects that columns of events name. */
const KEPT_SUBJECTS: readonly SubjectType[] = ['flow', 'trail', 'environment', 'policy']

/** The properties that the preceding leaves require of this one. */
export interface ExpectedPlace {
  epoch: number
  seq: number
  not_before_ms: number
  tag_key: Buffer
}

/** Sentences that describe what is wrong with the leaf; empty if everything is as it was recorded. */
export function findLeafProblems(row: LeafWithEvent, expected: ExpectedPlace): string[] {
  if (row.seq !== expected.seq) return [`leaf ${expected.seq} is missing`]
  const problems: string[] = []
  if (row.logged_ms < expected.not_before_ms) problems.push('is older than the leaf before it')
  if (!hashLeaf(Buffer.from(formatStoredLeaf(row))).equals(row.leaf_hash)) problems.push('was changed')
  if (row.salt !== null) problems.push(...findBodyProblems(row, row.salt, expected.tag_key))
  else if (isErased(row, expected.epoch)) problems.push(...findRemains(row, expected.tag_key))
  const sentences = problems.map(problem => `leaf ${row.seq} (${row.kind}) ${problem}`)
  if (row.salt === null && !isErased(row, expected.epoch))
    sentences.push(`body of leaf ${row.seq} is missing and no erasure is recorded`)
  return sentences
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

/** Whether the event names an erasure that in turn names this very leaf. */
function isErased(
  { seq, event_id, event_kind, happened_at, erasure }: LeafWithEvent,
  epoch: number,
): boolean {
  if (event_kind === null || happened_at === null) return false
  const leaf = {
    epoch,
    index: seq,
    event: toWireId(event_id),
    kind: event_kind,
    happened_at: happened_at.toISOString(),
  }
  return isErasureOf(erasure, leaf)
}

/**
 * The parts of an erased event that may remain: its kind, its time, which the erasure has too, and subjects with
 * tags.
 */
function findRemains(row: LeafWithEvent, tag_key: Buffer): string[] {
  const { kind, event_kind, actor, request_id, caller, parts, values } = row
  const texts = [actor, request_id].every(text => text === ERASED) && caller === null && parts === null
  const names = Object.keys(values ?? {})
  const tags = listTags(row.tags)
  const { about } = COVERAGE[event_kind as EventKind] ?? NO_COVERAGE
  const kept = about.filter(type => KEPT_SUBJECTS.includes(type))
  const subjects = listSubjects({ ...row, data: {}, parts: null }, kept)
  const isKnown = subjects.every(subject => tags.includes(computeTag(tag_key, subject)))
  if (texts && names.join() === 'erased_by' && (kind === event_kind || kind === HISTORY_IMPORTED) && isKnown)
    return []
  return ['is erased, and its event was changed afterwards']
}

function findBodyProblems(row: LeafWithEvent, salt: Buffer, tag_key: Buffer): string[] {
  const { event_kind, data, values, body_hash } = row
  if (event_kind === null || data === null || values === null) return ['has lost its event']
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
