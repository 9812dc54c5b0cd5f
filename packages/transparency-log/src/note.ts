// C2SP signed notes: a text, an empty line, and a line for each signature.
import { isKeyName, isSignatureOf, type SignerKey, signText, type VerifierKey } from './keys.ts'
import { parseBase64 } from './lines.ts'
import { ensure, LogProblem } from './problem.ts'

const MAX_SIGNATURES = 64
const DASH = '— '
const ID_BYTES = 4

export interface NoteSignature {
  name: string
  id: string
  signature: Buffer
}

export interface Note {
  /** Ends with a newline. */
  text: string
  signatures: readonly NoteSignature[]
}

const SPACE = ' '
/** A note may contain no control character but the newline. */
const isControl = (character: string): boolean => character < SPACE && character !== '\n'

export function parseNote(note: string): Note {
  const end = note.lastIndexOf('\n\n')
  ensure(
    end !== -1 && note.endsWith('\n'),
    'The note is malformed: a text, an empty line and signatures are expected',
  )
  ensure(!Array.from(note).some(isControl), 'The note contains a control character')
  const lines = note
    .slice(end + 2)
    .split('\n')
    .slice(0, -1)
  ensure(lines.length > 0, 'The note has no signature')
  ensure(
    lines.length <= MAX_SIGNATURES,
    `The note has ${lines.length} signatures; at most ${MAX_SIGNATURES} are read`,
  )
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) }
}

export function parseSignature(line: string): NoteSignature {
  const [name = '', encoded = '', ...rest] = line.startsWith(DASH) ? line.slice(DASH.length).split(' ') : []
  ensure(isKeyName(name) && rest.length === 0, `This is not a signature line: '${line}'`)
  const bytes = parseBase64(encoded, `The signature of '${name}'`)
  ensure(bytes.length > ID_BYTES, `The signature of '${name}' is empty`)
  return { name, id: bytes.subarray(0, ID_BYTES).toString('hex'), signature: bytes.subarray(ID_BYTES) }
}

export function formatSignature({ name, id, signature }: NoteSignature): string {
  return `${DASH}${name} ${Buffer.concat([Buffer.from(id, 'hex'), signature]).toString('base64')}\n`
}

export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`
}

/** Cosignatures contain the time. */
export async function signNote(text: string, keys: readonly SignerKey[], time_s?: number): Promise<Note> {
  ensure(text.endsWith('\n'), 'The text of a note ends with a newline')
  const signatures = keys.map(async key => ({
    name: key.name,
    id: key.id,
    signature: await signText(key, text, time_s),
  }))
  return { text, signatures: await Promise.all(signatures) }
}

/**
 * The signatures by the given keys, each key once. Ignores signatures by other keys; an invalid one by a
 * given key makes the whole note invalid.
 */
export function verifyNote(note: Note, keys: readonly VerifierKey[]): NoteSignature[] {
  const verified = new Map<string, NoteSignature>()
  for (const signature of note.signatures) {
    const { name, id } = signature
    const key = keys.find(known => known.name === name && known.id === id)
    if (!key || verified.has(`${name} ${id}`)) continue
    if (!isSignatureOf(key, note.text, signature.signature))
      throw new LogProblem(`The signature of '${name}' (key ${id}) is wrong: the note was changed`)
    verified.set(`${name} ${id}`, signature)
  }
  return [...verified.values()]
}
