// Verifies a downloaded log offline: it needs nothing but the folder, the key that the auditor trusts, and this code.
// Everything behind an answer is hashed up to a signed root before it is shown.
import { LogProblem, type Policy, parseVerifierKey } from '@waybill/transparency-log'
import type { Leaf } from '../domain/log/leaf.ts'
import {
  type CheckedBody,
  type ComputeTags,
  checkBody,
  checkParts,
  checkTags,
  type FindSubjectTypes,
  makeComputeTags,
  type StoredBody,
} from './bodies.ts'
import {
  type CheckedCheckpoints,
  checkCheckpoints,
  type KeyLeaf,
  type KnownCheckpoint,
  type Opening,
  readNote,
} from './checkpoints.ts'
import { type Answer, type Claim, type Replay, startReplay, startTrailReplay } from './claims.ts'
import { makeErasures } from './erasures.ts'
import { type Code, type Finding, type Findings, makeFindings } from './findings.ts'
import type { LogFiles } from './log-files.ts'
import { REOPENED, readReopening, tellReopening } from './reopened.ts'
import { checkTiles, locateChange, type ReadTree } from './tree.ts'
import { walkAgain, walkLeaves } from './walk.ts'

const TAG_KEY = /^[0-9a-f]{64}$/
const MS_PER_S = 1_000
/** If one of these fails, the leaves are unknown, and nothing about them is shown. */
const OF_THE_LOG: readonly Code[] = ['V2', 'V3', 'V4', 'V5', 'V6', 'V7', 'V8']

export interface VerifyParts {
  files: LogFiles
  policy: Policy
  /** Checkpoints that the auditor has kept, by their file names. */
  seen: ReadonlyMap<string, string>
  /** The log must have an entry newer than this. */
  newer_than_ms: number | undefined
  claims: readonly Claim[]
  /** Whether every leaf must have its body, unless a later leaf records its erasure. */
  with_bodies: boolean
  findTypes: FindSubjectTypes
}

export interface Verification {
  verdict: 'shown' | 'false' | 'unknown'
  log: { origin: string; size: number; signed_by: string[]; witnesses: string[] } | undefined
  findings: Finding[]
  answers: Answer[]
  /** Sizes that witnesses have seen, with the time in seconds. */
  cosigned: CheckedCheckpoints['cosigned']
}

export async function verifyLog(parts: VerifyParts): Promise<Verification> {
  const findings = makeFindings()
  const checkpoints = await readCheckpoints(parts, findings)
  const newest = checkpoints.find(({ source }) => source === 'newest')
  if (!newest) return conclude(findings, undefined, [], [])
  const walked = await readLog(parts, newest, checkpoints, findings)
  await checkTree(newest, walked.tree, parts.files, findings)
  const { opening } = walked
  if (opening?.reopening) tellReopening(opening.reopening, findings)
  const checked = checkCheckpoints(checkpoints, {
    policy: parts.policy,
    keys: walked.keys,
    roots: walked.tree.roots,
    opening,
    findings,
  })
  checkAge(parts.newer_than_ms, walked.last_ms, checked, findings)
  const answers = walked.finish()
  const { origin, size } = newest
  const log = { origin, size, signed_by: checked.signed_by, witnesses: checked.witnesses }
  const isKnown = !findings.has('false', OF_THE_LOG) && !findings.has('unknown', OF_THE_LOG)
  return conclude(findings, log, isKnown ? await answers : [], checked.cosigned)
}

function conclude(
  findings: Findings,
  log: Verification['log'],
  answers: Answer[],
  cosigned: CheckedCheckpoints['cosigned'],
): Verification {
  const verdict = findings.has('false') ? 'false' : findings.has('unknown') ? 'unknown' : 'shown'
  return { verdict, log, findings: findings.list(), answers, cosigned }
}

async function readCheckpoints({ files, seen }: VerifyParts, findings: Findings): Promise<KnownCheckpoint[]> {
  const text = await files.readCheckpoint()
  if (text === undefined) findings.add('V2', 'unknown', 'the folder has no file `checkpoint`')
  const newest = text === undefined ? undefined : readNote(text, 'newest', 'checkpoint', findings)
  const earlier = [...(await files.readEarlierCheckpoints())].map(([name, note]) =>
    readNote(note, 'earlier', `checkpoints/${name}`, findings),
  )
  const kept = [...seen].map(([name, note]) => readNote(note, 'seen', name, findings))
  return [newest, ...earlier, ...kept].filter(checkpoint => checkpoint !== undefined)
}

interface Walked {
  tree: ReadTree
  keys: KeyLeaf[]
  /** Of a log that continues another one. */
  opening: Opening | undefined
  last_ms: number
  finish(): Promise<Answer[]>
}

async function readLog(
  parts: VerifyParts,
  { origin, size }: KnownCheckpoint,
  checkpoints: readonly KnownCheckpoint[],
  findings: Findings,
): Promise<Walked> {
  const { files, claims, with_bodies, findTypes } = parts
  const keys: KeyLeaf[] = []
  const erasures = makeErasures(origin, with_bodies, findings)
  const with_parts = await files.listParts()
  let replay: Replay | undefined
  let tag_key: Buffer | undefined
  let computeTags: ComputeTags | undefined
  let opening: Opening | undefined
  let last_ms = 0
  const look = async (leaf: Leaf, stored: StoredBody | undefined) => {
    last_ms = leaf.at_ms
    const body = stored && checkBody(leaf, stored, findings)
    if (leaf.index === 0) {
      tag_key = await readTagKey(body, origin, files, findings)
      replay = tag_key && startReplay(claims, tag_key)
      computeTags = tag_key && makeComputeTags(tag_key, findTypes)
      if (leaf.kind === REOPENED) opening = { reopening: body && readReopening(leaf.at_ms, body) }
    }
    if (stored && body) {
      if (computeTags) checkTags(leaf, body, computeTags, findings)
      if (with_parts.has(leaf.index))
        checkParts(leaf, stored, body, { contents: await files.readParts(leaf.index), findings })
    }
    keys.push(...readKeyLeaf(leaf, body, findings))
    if (body || !stored) erasures.look(leaf, body)
    replay?.look(leaf, body)
  }
  const sizes = new Set(checkpoints.map(checkpoint => checkpoint.size))
  const tree = await walkLeaves({ files, findings, size, sizes, look })
  erasures.finish()
  if (!tag_key && !findings.has('unknown', ['V8']) && !findings.has('false', ['V8']))
    findings.add('V8', 'unknown', 'the log has no leaf 0, so nobody can say what the tags of leaves mean')
  const finish = async () => {
    const answers = replay?.finish(findings) ?? []
    const trails = startTrailReplay(replay?.listTrails() ?? new Map(), tag_key ?? Buffer.alloc(0))
    if (answers.some(({ claim }) => claim.with_trails)) await walkAgain({ files, size }, tree, trails.look)
    return answers.map(answer => ({ ...answer, of_trails: trails.find(answer.claim) }))
  }
  return { tree: tree.finish(), keys, opening, last_ms, finish }
}

/** Leaf 0 commits to the tag key, so a subject has one tag in the whole log. */
async function readTagKey(
  body: CheckedBody | undefined,
  origin: string,
  files: LogFiles,
  findings: Findings,
): Promise<Buffer | undefined> {
  const opened = body?.data.tag_key
  if (typeof opened !== 'string' || !TAG_KEY.test(opened)) {
    findings.add(
      'V8',
      'unknown',
      'the body of leaf 0 is missing, so nobody can say what the tags of leaves mean',
    )
    return undefined
  }
  const given = await files.readTagKey()
  if (given !== undefined && given !== opened) {
    findings.add('V8', 'false', 'the tag key is not the one the log was opened with')
    return undefined
  }
  if (body?.data.origin !== origin)
    findings.add(
      'V2',
      'false',
      `leaf 0 opened the log '${body?.data.origin}', and the checkpoint is of '${origin}'`,
    )
  return Buffer.from(opened, 'hex')
}

function readKeyLeaf({ index, kind }: Leaf, body: CheckedBody | undefined, findings: Findings): KeyLeaf[] {
  if (kind !== 'log_key_added' && kind !== 'log_key_retired') return []
  if (!body) return []
  try {
    return [{ index, is_added: kind === 'log_key_added', key: parseVerifierKey(String(body.data.vkey)) }]
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    findings.add('V4', 'false', `leaf ${index} names a key that is none: ${error.message}`)
    return []
  }
}

async function checkTree(
  newest: KnownCheckpoint,
  tree: ReadTree,
  files: LogFiles,
  findings: Findings,
): Promise<void> {
  if (tree.roots.get(newest.size)?.equals(newest.root)) await checkTiles(tree, files, findings)
  else if (tree.size === newest.size) await locateChange(newest, tree, files, findings)
}

function checkAge(
  newer_than_ms: number | undefined,
  last_ms: number,
  { cosigned }: CheckedCheckpoints,
  findings: Findings,
): void {
  if (newer_than_ms === undefined) return
  const newest_ms = Math.max(last_ms, ...cosigned.map(({ time_s }) => time_s * MS_PER_S))
  if (newest_ms >= newer_than_ms) return
  const [found, wanted] = [newest_ms, newer_than_ms].map(ms => new Date(ms).toISOString())
  findings.add(
    'V6',
    'false',
    `the newest thing in this log is of ${found}; you asked for one after ${wanted}`,
  )
}
