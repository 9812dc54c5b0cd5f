// The hashes that represent an event's body, parts and subjects in its leaf.
import { createHmac, hash } from 'node:crypto'

export const SALT_BYTES = 32
const TAG_BYTES = 16
const PART = Buffer.from([1])
const NUL = Buffer.from([0])

/** SHA-256 of salt and body. The salt has a fixed length, so it is clear where the body begins. */
export function hashBody(salt: Buffer, body: string): Buffer {
  return hash('sha256', Buffer.concat([salt, Buffer.from(body, 'utf8')]), 'buffer')
}

/** The commitment to something stored elsewhere, as the body of an event names it. */
export function commitToPart(salt: Buffer, name: string, content: string | Buffer): string {
  const named = [salt, PART, Buffer.from(name, 'utf8'), NUL]
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
  return hash('sha256', Buffer.concat([...named, bytes]), 'base64')
}

export const SUBJECT_TYPES = [
  'artifact',
  'trail',
  'flow',
  'environment',
  'policy',
  'control',
  'person',
  'account',
  'evidence',
] as const

export type SubjectType = (typeof SUBJECT_TYPES)[number]

export interface Subject {
  type: SubjectType
  /** A fingerprint, the hash of an attachment, or an id. */
  id: string
}

/** The only name of a subject in the leaves of one log. Without the tag key it looks random. */
export function computeTag(tag_key: Buffer, { type, id }: Subject): string {
  const mac = createHmac('sha256', tag_key).update(`${type}\0${id}`, 'utf8').digest()
  return mac.subarray(0, TAG_BYTES).toString('hex')
}
