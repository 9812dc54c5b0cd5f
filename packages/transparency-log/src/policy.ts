// C2SP tlog-policy files: which logs are trusted, which witnesses there are, and how many of them must have
// cosigned a checkpoint.
import { parseCheckpoint } from './checkpoint.ts'
import { type KeyType, parseVerifierKey, type VerifierKey } from './keys.ts'
import { parseSize } from './lines.ts'
import { type Note, verifyNote } from './note.ts'
import { ensure, LogProblem } from './problem.ts'

const MAX_LINES = 1_000
const NONE = 'none'

export interface PolicyWitness {
  name: string
  key: VerifierKey
  url: string | undefined
}

interface Group {
  name: string
  threshold: number
  members: readonly string[]
}

export interface Policy {
  logs: readonly { key: VerifierKey; url: string | undefined }[]
  witnesses: readonly PolicyWitness[]
  groups: readonly Group[]
  /** A witness or a group; `none` if no cosignature is required. */
  quorum: string
}

interface Draft {
  logs: Policy['logs'][number][]
  witnesses: PolicyWitness[]
  groups: Group[]
  quorum?: string
}

export function parsePolicy(text: string): Policy {
  const lines = text.split('\n')
  ensure(lines.length <= MAX_LINES, `The policy has ${lines.length} lines; at most ${MAX_LINES} are read`)
  const draft: Draft = { logs: [], witnesses: [], groups: [] }
  for (const [i, line] of lines.entries()) {
    const words = line.split(/[ \t]+/).filter(word => word !== '')
    if (words.length === 0 || words[0]?.startsWith('#')) continue
    try {
      readLine(draft, words)
    } catch (error) {
      if (!(error instanceof LogProblem)) throw error
      throw new LogProblem(`Line ${i + 1} of the policy: ${error.message}`)
    }
  }
  const { quorum, ...rest } = draft
  ensure(quorum !== undefined, 'The policy has no quorum line; `quorum none` requires no cosignature')
  return { ...rest, quorum }
}

function readLine(draft: Draft, [keyword, ...words]: string[]): void {
  if (keyword === 'log') readLog(draft, words)
  else if (keyword === 'witness') readWitness(draft, words)
  else if (keyword === 'group') readGroup(draft, words)
  else if (keyword === 'quorum') readQuorum(draft, words)
  else throw new LogProblem(`'${keyword}' is not log, witness, group or quorum`)
}

function readLog({ logs }: Draft, [vkey, url, ...rest]: string[]): void {
  ensure(vkey !== undefined && rest.length === 0, 'log takes a key and perhaps a URL')
  logs.push({ key: readKey(vkey, 'note', logs), url })
}

function readWitness(draft: Draft, [name, vkey, url, ...rest]: string[]): void {
  ensure(
    name !== undefined && vkey !== undefined && rest.length === 0,
    'witness takes a name, a key and perhaps a URL',
  )
  ensureNewName(draft, name)
  draft.witnesses.push({ name, key: readKey(vkey, 'cosignature', draft.witnesses), url })
}

function readKey(vkey: string, type: KeyType, others: readonly { key: VerifierKey }[]): VerifierKey {
  const key = parseVerifierKey(vkey)
  ensure(key.type === type, `The key of '${key.name}' signs as a ${key.type}, not as a ${type}`)
  ensure(
    !others.some(other => other.key.public_key.equals(key.public_key)),
    `The key of '${key.name}' is listed twice`,
  )
  return key
}

function readGroup(draft: Draft, [name, count, ...members]: string[]): void {
  ensure(
    name !== undefined && count !== undefined && members.length > 0,
    'group takes a name, a number and members',
  )
  ensureNewName(draft, name)
  const listed = draft.groups.flatMap(group => group.members)
  for (const [i, member] of members.entries()) {
    ensure(isDefined(draft, member), `'${member}' is not defined on a line before`)
    ensure(!listed.includes(member) && members.indexOf(member) === i, `'${member}' is a member twice`)
  }
  const threshold = readThreshold(count, members.length)
  ensure(threshold >= 1 && threshold <= members.length, `${count} of ${members.length} members is impossible`)
  draft.groups.push({ name, threshold, members })
}

function readThreshold(count: string, members: number): number {
  if (count === 'all') return members
  return count === 'any' ? 1 : parseSize(count, 'The number of members')
}

function readQuorum(draft: Draft, [name, ...rest]: string[]): void {
  ensure(name !== undefined && rest.length === 0, 'quorum takes one name')
  ensure(draft.quorum === undefined, 'a policy has one quorum line')
  ensure(name === NONE || isDefined(draft, name), `'${name}' is not defined on a line before`)
  draft.quorum = name
}

function ensureNewName(draft: Draft, name: string): void {
  ensure(name !== NONE && !isDefined(draft, name), `'${name}' is already defined`)
}

const isDefined = ({ witnesses, groups }: Draft, name: string): boolean =>
  witnesses.some(witness => witness.name === name) || groups.some(group => group.name === name)

/** Returns whether these witnesses are enough. */
export function hasQuorum({ groups, quorum }: Policy, cosigned: ReadonlySet<string>): boolean {
  const witnessed = new Set([NONE, ...cosigned])
  // Members are defined before their group.
  for (const { name, threshold, members } of groups) {
    if (members.filter(member => witnessed.has(member)).length >= threshold) witnessed.add(name)
  }
  return witnessed.has(quorum)
}

export interface Endorsement {
  log: VerifierKey
  /** The witnesses of the policy that cosigned the checkpoint. */
  witnesses: PolicyWitness[]
  has_quorum: boolean
}

/**
 * Returns who vouches for a checkpoint. Throws if no log of the policy signed it, or if a signature is
 * invalid.
 */
export function endorse(policy: Policy, note: Note): Endorsement {
  const { origin } = parseCheckpoint(note.text)
  const logs = policy.logs.map(({ key }) => key).filter(({ name }) => name === origin)
  ensure(logs.length > 0, `The policy has no log with the origin '${origin}'`)
  const signed = verifyNote(note, logs)
  const log = logs.find(({ id }) => signed.some(signature => signature.id === id))
  if (!log) {
    const found = note.signatures.filter(({ name }) => name === origin).map(({ id }) => id)
    throw new LogProblem(
      `The checkpoint is not signed by a log key of the policy (found ${found.join(', ') || 'none'})`,
    )
  }
  const keys = policy.witnesses.map(({ key }) => key)
  const cosignatures = verifyNote(note, keys)
  const witnesses = policy.witnesses.filter(({ key }) =>
    cosignatures.some(({ name, id }) => name === key.name && id === key.id),
  )
  return { log, witnesses, has_quorum: hasQuorum(policy, new Set(witnesses.map(({ name }) => name))) }
}
