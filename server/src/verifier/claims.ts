// Claims about a log: "these are all attestations of this artifact", "nothing was recorded about this". Replaying all
// leaves proves them; a claimed list is only compared with the result.
import { computeTag, SUBJECT_TYPES, type Subject, type SubjectType } from '../domain/log/commit.ts'
import { HISTORY_IMPORTED } from '../domain/log/history.ts'
import type { Leaf } from '../domain/log/leaf.ts'
import type { CheckedBody } from './bodies.ts'
import type { Findings } from './findings.ts'
import { parseJson, toValues } from './json.ts'
import { Unreadable } from './log-files.ts'

const ATTESTATIONS = [
  'artifact_attestation_reported',
  'trail_attestation_for_artifact_reported',
  'trail_attestation_reported',
]
const SNAPSHOT = 'snapshot_taken'

export interface Period {
  from_ms: number
  to_ms: number
}

export interface Claim {
  /** Text for people, such as `all attestations of artifact …`. */
  text: string
  subject: Subject
  /** All kinds if omitted. */
  kinds?: readonly string[] | undefined
  period?: Period | undefined
  /** The claimed answer. */
  indices?: readonly number[] | undefined
  /** The leaves that were searched for the answer. */
  range?: readonly [number, number] | undefined
  /** Whether the answer includes attestations of the trails that name the subject. */
  with_trails?: boolean
}

export interface FoundLeaf {
  index: number
  kind: string
  at_ms: number
  /** The time that the sender stated; undefined without the body. */
  happened_at?: string | undefined
}

export interface Answer {
  claim: Claim
  leaves: FoundLeaf[]
  /** For an artifact: attestations of its trails that do not name it. */
  of_trails: FoundLeaf[]
}

export function claimAttestations(artifact: string, more: Partial<Claim> = {}): Claim {
  const subject = { type: 'artifact' as const, id: artifact }
  return {
    text: `all attestations of artifact ${artifact}`,
    subject,
    kinds: ATTESTATIONS,
    with_trails: true,
    ...more,
  }
}

export function claimSnapshots(
  environment: string,
  period: Period | undefined,
  more: Partial<Claim> = {},
): Claim {
  const subject = { type: 'environment' as const, id: environment }
  return { text: `all snapshots of environment ${environment}`, subject, kinds: [SNAPSHOT], period, ...more }
}

export function claimAll(subject: Subject, more: Partial<Claim> = {}): Claim {
  return { text: `everything about ${subject.type} ${subject.id}`, subject, ...more }
}

/** `type=id`. */
export function parseSubject(text: string): Subject {
  const [, type = '', id = ''] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (!isSubjectType(type))
    throw new Unreadable(`'${text}' is not a subject: write ${SUBJECT_TYPES.join('=…, ')}=…`)
  return { type, id }
}

const isSubjectType = (type: string): type is SubjectType => SUBJECT_TYPES.some(known => known === type)

export function parsePeriod(from: string | undefined, to: string | undefined): Period | undefined {
  if (from === undefined && to === undefined) return undefined
  const from_ms = from === undefined ? 0 : parseTime(from)
  const to_ms = to === undefined ? Number.MAX_SAFE_INTEGER : parseTime(to)
  return { from_ms, to_ms }
}

export function parseTime(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new Unreadable(`'${text}' is not a time: write it as 2026-03-01 or 2026-03-01T12:00:00Z`)
  return ms
}

/** A file of claims: `{"claims": [{"claim": "all-snapshots", "environment": "…", "indices": […]}, …]}`. */
export function parseClaims(text: string): Claim[] {
  const claims = parseJson(text)?.claims
  if (!Array.isArray(claims)) throw new Unreadable('The file of claims must have a list `claims`')
  return claims.map((value, i) => parseClaim(toValues(value), i + 1))
}

function parseClaim(value: Readonly<Record<string, unknown>>, number: number): Claim {
  const { claim, artifact, environment, subject, from, to, range } = value
  const period = parsePeriod(
    ...([from, to].map(time => (time === undefined ? undefined : String(time))) as [string?, string?]),
  )
  const more = { indices: toNumbers(value.indices), range: toNumbers(range) as [number, number] | undefined }
  if (claim === 'all-attestations-of-artifact' && typeof artifact === 'string')
    return claimAttestations(artifact, { ...more, period })
  if (claim === 'all-snapshots' && typeof environment === 'string')
    return claimSnapshots(environment, period, more)
  if (claim === 'all-about' && typeof subject === 'string')
    return claimAll(parseSubject(subject), { ...more, period })
  if (claim === 'nothing-about' && typeof subject === 'string')
    return {
      ...claimAll(parseSubject(subject), { period, indices: [] }),
      text: `nothing about ${subject.replace('=', ' ')}`,
    }
  throw new Unreadable(`Claim ${number} is not one that can be verified: '${String(claim)}'`)
}

function toNumbers(value: unknown): number[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || !value.every(each => Number.isSafeInteger(each)))
    throw new Unreadable('indices and range of a claim are lists of numbers')
  return value
}

export interface Replay {
  /** Called for each leaf, in order, with its body if it was read. */
  look(leaf: Leaf, body: CheckedBody | undefined): void
  /** The trails in which a claim's artifact was built. */
  listTrails(): Map<Claim, Set<string>>
  finish(findings: Findings): Answer[]
}

interface Question {
  claim: Claim
  tag: string
  answer: Answer
  trails: Set<string>
  /** The first and the last leaf in the period. */
  in_period: { first: number; last: number } | undefined
  snapshots: { index: number; number: unknown }[]
}

export function startReplay(claims: readonly Claim[], tag_key: Buffer): Replay {
  const questions: Question[] = claims.map(claim => ({
    claim,
    tag: computeTag(tag_key, claim.subject),
    answer: { claim, leaves: [], of_trails: [] },
    trails: new Set(),
    in_period: undefined,
    snapshots: [],
  }))
  return {
    look: (leaf, body) => {
      for (const question of questions) lookFor(question, leaf, body)
    },
    listTrails: () =>
      new Map(questions.flatMap(({ claim, trails }) => (claim.with_trails ? [[claim, trails]] : []))),
    finish: findings => {
      for (const question of questions) compare(question, findings)
      return questions.map(({ answer }) => answer)
    },
  }
}

function lookFor(question: Question, leaf: Leaf, body: CheckedBody | undefined): void {
  const { claim, tag, answer, trails } = question
  const { period, kinds } = claim
  const isAbout = leaf.about.includes(tag)
  if (isAbout && body?.ids.trail) trails.add(body.ids.trail)
  if (period && (leaf.at_ms < period.from_ms || leaf.at_ms >= period.to_ms)) return
  question.in_period = { first: question.in_period?.first ?? leaf.index, last: leaf.index }
  if (!isAbout) return
  if (kinds && !kinds.includes(findKind(leaf, body))) return
  answer.leaves.push(toFound(leaf, body))
  if (leaf.kind === SNAPSHOT && body)
    question.snapshots.push({ index: leaf.index, number: body.data.snapshot_index })
}

/** Events from before the log keep their original kind. */
function findKind({ kind }: Leaf, body: CheckedBody | undefined): string {
  return kind === HISTORY_IMPORTED && body ? body.kind : kind
}

const toFound = ({ index, kind, at_ms }: Leaf, body: CheckedBody | undefined): FoundLeaf => ({
  index,
  kind,
  at_ms,
  happened_at: body?.happened_at,
})

function compare({ claim, answer, in_period, snapshots }: Question, findings: Findings): void {
  const { subject, indices, range } = claim
  const name = `${subject.type} ${subject.id}`
  const found = answer.leaves.map(({ index }) => index)
  for (const index of indices ? found.filter(each => !indices.includes(each)) : [])
    findings.add(
      'V9',
      'false',
      `leaf ${index} is about ${name} and is not in the list of the claim '${claim.text}'`,
    )
  for (const index of indices?.filter(each => !found.includes(each)) ?? [])
    findings.add(
      'V9',
      'false',
      `leaf ${index} is in the list of the claim '${claim.text}' and is not about ${name}`,
    )
  if (range && in_period && (in_period.first < range[0] || in_period.last >= range[1]))
    findings.add(
      'V9',
      'false',
      `the claim '${claim.text}' is about leaves ${range[0]}–${range[1] - 1}, and its period has leaves ${in_period.first}–${in_period.last}`,
    )
  for (const [i, { index, number }] of snapshots.entries()) {
    const before = snapshots[i - 1]
    if (before && number !== Number(before.number) + 1)
      findings.add(
        'V9',
        'false',
        `leaf ${index} is snapshot ${number} of ${name}, and the one before it, leaf ${before.index}, is snapshot ${before.number}`,
      )
  }
}

/** The attestations of trails, which may be about an artifact without naming it. */
export function startTrailReplay(trails: ReadonlyMap<Claim, ReadonlySet<string>>, tag_key: Buffer) {
  const wanted = [...trails].map(([claim, ids]) => ({
    claim,
    own: computeTag(tag_key, claim.subject),
    tags: new Set([...ids].map(id => computeTag(tag_key, { type: 'trail', id }))),
    leaves: [] as FoundLeaf[],
  }))
  return {
    look: (leaf: Leaf) => {
      if (![...ATTESTATIONS, HISTORY_IMPORTED].includes(leaf.kind)) return
      for (const { own, tags, leaves } of wanted)
        if (!leaf.about.includes(own) && leaf.about.some(tag => tags.has(tag)))
          leaves.push(toFound(leaf, undefined))
    },
    find: (claim: Claim) => wanted.find(each => each.claim === claim)?.leaves ?? [],
  }
}
