// Checks who vouches for the tree: signatures of the log, the chain of its keys, witnesses, and checkpoints that
// somebody has kept. Each checkpoint is compared with the root of the leaves at its size.
import {
  type Checkpoint,
  getCosignedTime,
  hasQuorum,
  LogProblem,
  type Note,
  type NoteSignature,
  type Policy,
  parseCheckpoint,
  parseNote,
  type VerifierKey,
  verifyNote,
} from '@waybill/transparency-log'
import type { Findings } from './findings.ts'
import { isEarlierLog, judgeSeen, type Reopening } from './reopened.ts'

export interface KnownCheckpoint extends Checkpoint {
  note: Note
  /** `newest`: the one that everything else is compared with. `seen`: kept by the auditor. */
  source: 'newest' | 'earlier' | 'seen'
}

/** A leaf that adds or retires a key of the log. */
export interface KeyLeaf {
  index: number
  is_added: boolean
  key: VerifierKey
}

export interface Opening {
  /** What its first leaf says; undefined if the body is missing. */
  reopening: Reopening | undefined
}

export interface CheckpointParts {
  policy: Policy
  keys: readonly KeyLeaf[]
  /** The roots computed from the leaves. */
  roots: ReadonlyMap<number, Buffer>
  /** The checkpoint that witnesses must have cosigned; by default the newest. */
  witnessed?: KnownCheckpoint
  /** For a log that continues another one. */
  opening?: Opening | undefined
  findings: Findings
}

/** Undefined if the text is not a checkpoint. */
export function readNote(
  text: string,
  source: KnownCheckpoint['source'],
  name: string,
  findings: Findings,
): KnownCheckpoint | undefined {
  try {
    const note = parseNote(text)
    return { ...parseCheckpoint(note.text), note, source }
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    findings.add('V2', 'false', `${name} is not a checkpoint: ${error.message}`)
    return undefined
  }
}

export interface CheckedCheckpoints {
  /** The ids of the keys that signed the newest checkpoint. */
  signed_by: string[]
  /** The names of the witnesses that cosigned it. */
  witnesses: string[]
  /** Sizes that witnesses have seen, with the earliest time in seconds. */
  cosigned: { size: number; time_s: number }[]
}

export function checkCheckpoints(
  all: readonly KnownCheckpoint[],
  parts: CheckpointParts,
): CheckedCheckpoints {
  const { policy, findings } = parts
  const newest = all.find(({ source }) => source === 'newest')
  const checked: CheckedCheckpoints = { signed_by: [], witnesses: [], cosigned: [] }
  if (!newest) return checked
  const trusted = policy.logs.map(({ key }) => key).filter(({ name }) => name === newest.origin)
  if (trusted.length === 0) {
    const known = policy.logs.map(({ key }) => key.name).join(', ') || 'no log'
    findings.add('V2', 'false', `the checkpoint is of the log '${newest.origin}'; you trust ${known}`)
    return checked
  }
  const prefixes = all.filter(checkpoint => isOfLog(checkpoint, newest, parts))
  followKeys(prefixes, trusted, parts)
  for (const checkpoint of prefixes) {
    comparePrefix(checkpoint, newest, parts)
    const ids = findSigners(checkpoint, trusted, parts)
    if (checkpoint === newest) checked.signed_by = ids
    if (ids.length > 0) checked.cosigned.push(...listCosigned(checkpoint, policy))
  }
  checked.witnesses = checkWitnesses(parts.witnessed ?? newest, policy, findings)
  return checked
}

/** Adds the keys in a tree that a trusted key signed. They may have signed other trees. */
function followKeys(
  checkpoints: readonly KnownCheckpoint[],
  trusted: VerifierKey[],
  { keys, roots }: CheckpointParts,
): void {
  const isTrusted = (key: VerifierKey) => trusted.some(({ public_key }) => public_key.equals(key.public_key))
  for (let before = -1; before !== trusted.length; ) {
    before = trusted.length
    for (const { note, size, root, origin } of checkpoints) {
      if (!roots.get(size)?.equals(root) || listSigners(note, trusted).length === 0) continue
      const added = keys.filter(({ is_added, index, key }) => is_added && index < size && key.name === origin)
      for (const { key } of added) if (!isTrusted(key)) trusted.push(key)
    }
  }
}

/** Empty if a signature is wrong. */
function listSigners(note: Note, keys: readonly VerifierKey[]): NoteSignature[] {
  try {
    return verifyNote(note, keys)
  } catch (error) {
    if (error instanceof LogProblem) return []
    throw error
  }
}

function isOfLog(
  checkpoint: KnownCheckpoint,
  newest: KnownCheckpoint,
  { policy, opening, findings }: CheckpointParts,
): boolean {
  const { origin, size, source } = checkpoint
  if (origin === newest.origin) return true
  const keys = policy.logs.map(({ key }) => key)
  if (opening && source === 'seen' && isEarlierLog(origin, newest.origin))
    judgeSeen(checkpoint, opening.reopening, keys, findings)
  else findings.add('V2', 'false', `checkpoint ${size} is of another log: '${origin}'`)
  return false
}

function comparePrefix(
  { size, root, source }: KnownCheckpoint,
  newest: KnownCheckpoint,
  { roots, findings }: CheckpointParts,
): void {
  if (size > newest.size) {
    const who = source === 'seen' ? 'you have seen' : 'the folder has a checkpoint of'
    findings.add('V6', 'false', `this is size ${newest.size}; ${who} ${size}: an old state is being shown`)
  } else if (size === newest.size) {
    if (root.equals(newest.root)) return
    findings.add(
      'V5',
      'false',
      `there are two checkpoints of size ${size} with different roots: the log was forked`,
    )
  } else if (roots.has(size) && !roots.get(size)?.equals(root)) {
    // A missing root means missing leaves, which V7 reports.
    findings.add(
      'V5',
      'false',
      `checkpoint ${size} is not a prefix of checkpoint ${newest.size}: the log was rewritten`,
    )
  }
}

/** The ids of the trusted keys that signed the checkpoint. */
function findSigners(
  { note, size, origin }: KnownCheckpoint,
  trusted: readonly VerifierKey[],
  { keys, findings }: CheckpointParts,
): string[] {
  const ids = verifySignatures(note, trusted, 'V2', findings)?.map(({ id }) => id)
  if (!ids) return []
  const retired = new Map(
    keys.flatMap(({ is_added, key, index }) => (is_added || index >= size ? [] : [[key.id, index]])),
  )
  const active = ids.filter(id => !retired.has(id))
  if (active.length > 0) return active
  const [first] = ids
  if (first !== undefined) {
    const text = `checkpoint ${size} is signed only by key ${first}, which leaf ${retired.get(first)} retired`
    findings.add('V4', 'false', text)
    return []
  }
  const found = note.signatures.filter(({ name }) => name === origin).map(({ id }) => id)
  const added = keys.find(({ is_added, key }) => is_added && found.includes(key.id))
  if (added)
    findings.add(
      'V4',
      'false',
      `key ${added.key.id} took over at leaf ${added.index} without the signature of the key before it`,
    )
  else
    findings.add(
      'V2',
      'false',
      `checkpoint ${size} is not signed by the log key you trust (found key id ${found.join(', ') || 'none'})`,
    )
  return []
}

function verifySignatures(
  note: Note,
  keys: readonly VerifierKey[],
  code: 'V2' | 'V3',
  findings: Findings,
): ReturnType<typeof verifyNote> | undefined {
  try {
    return verifyNote(note, keys)
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    findings.add(code, 'false', error.message)
    return undefined
  }
}

function listCosigned({ note, size }: KnownCheckpoint, { witnesses }: Policy) {
  const keys = witnesses.map(({ key }) => key)
  return listSigners(note, keys).map(({ signature }) => ({ size, time_s: getCosignedTime(signature) }))
}

function checkWitnesses({ note }: KnownCheckpoint, policy: Policy, findings: Findings): string[] {
  const { witnesses, groups, quorum } = policy
  if (quorum === 'none' || witnesses.length === 0)
    findings.add('W0', 'note', 'nobody but the operator vouches that others saw the same log')
  const signatures = verifySignatures(
    note,
    witnesses.map(({ key }) => key),
    'V3',
    findings,
  )
  if (!signatures) return []
  const names = witnesses
    .filter(({ key }) => signatures.some(({ name, id }) => name === key.name && id === key.id))
    .map(({ name }) => name)
  if (!hasQuorum(policy, new Set(names))) {
    const { threshold } = groups.find(({ name }) => name === quorum) ?? { threshold: 1 }
    const who = names.length === 0 ? '' : ` (${names.join(', ')})`
    findings.add('V3', 'false', `${names.length} of ${threshold} needed witnesses cosigned${who}`)
  }
  return names
}
