// Ed25519 keys of C2SP signed notes. A key signs either notes (for logs) or checkpoints with a time (for
// witnesses); its type is part of its id, so one is never mistaken for the other.
import { createPublicKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { parseBase64 } from './lines.ts'
import { ensure, LogProblem } from './problem.ts'

const TYPES = { note: 1, cosignature: 4 } as const
const ED25519_BYTES = 32
const SIGNATURE_BYTES = 64
const TIME_BYTES = 8

export type KeyType = keyof typeof TYPES

export interface VerifierKey {
  name: string
  type: KeyType
  /** Four bytes in hexadecimal. Distinguishes keys with the same name; too short to prove anything. */
  id: string
  /** 32 bytes. */
  public_key: Buffer
}

export interface SignerKey extends VerifierKey {
  private_key: KeyObject
}

export function generateKey(name: string, type: KeyType): SignerKey {
  return readPrivateKey(name, type, generateKeyPairSync('ed25519').privateKey)
}

export function readPrivateKey(name: string, type: KeyType, private_key: KeyObject): SignerKey {
  const { x = '' } = createPublicKey(private_key).export({ format: 'jwk' })
  const public_key = Buffer.from(x, 'base64url')
  return { ...describeKey(name, type, public_key), private_key }
}

function describeKey(name: string, type: KeyType, public_key: Buffer): VerifierKey {
  ensure(isKeyName(name), `'${name}' cannot name a key: it is empty, or has a space or a plus sign`)
  ensure(
    public_key.length === ED25519_BYTES,
    `An Ed25519 key has ${ED25519_BYTES} bytes, not ${public_key.length}`,
  )
  const hashed = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(TYPES[type]), public_key])
  const id = hash('sha256', hashed, 'hex').slice(0, 8)
  return { name, type, id, public_key }
}

export function isKeyName(name: string): boolean {
  return name !== '' && !/[\s+\p{Cc}]/u.test(name)
}

/** `<name>+<id>+<base64 of type and key>`. */
export function formatVerifierKey({ name, type, id, public_key }: VerifierKey): string {
  return `${name}+${id}+${Buffer.concat([Buffer.of(TYPES[type]), public_key]).toString('base64')}`
}

export function parseVerifierKey(text: string): VerifierKey {
  const [, name = '', id, encoded = ''] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/.exec(text) ?? []
  ensure(id !== undefined, `'${text}' is not a verifier key: it must look like name+01234567+base64`)
  const bytes = parseBase64(encoded, `The key of '${name}'`)
  const type = (Object.keys(TYPES) as KeyType[]).find(known => TYPES[known] === bytes[0])
  if (!type) throw new LogProblem(`The key of '${name}' is of type ${bytes[0]}, which is not supported`)
  const key = describeKey(name, type, bytes.subarray(1))
  ensure(key.id === id, `The id ${id} does not belong to the key of '${name}', whose id is ${key.id}`)
  return key
}

const signInPool = promisify(sign) as (algorithm: null, data: Buffer, key: KeyObject) => Promise<Buffer>

/** The signature of a note's text. Runs in the thread pool. */
export async function signText(key: SignerKey, text: string, time_s = 0): Promise<Buffer> {
  if (key.type === 'note') return signInPool(null, Buffer.from(text), key.private_key)
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(time_s))
  return Buffer.concat([time, await signInPool(null, buildCosigned(text, time), key.private_key)])
}

export function isSignatureOf(key: VerifierKey, text: string, signature: Buffer): boolean {
  const bytes = key.type === 'note' ? 0 : TIME_BYTES
  if (signature.length !== bytes + SIGNATURE_BYTES) return false
  const signed = key.type === 'note' ? Buffer.from(text) : buildCosigned(text, signature)
  return verify(null, signed, importPublicKey(key.public_key), signature.subarray(bytes))
}

/** When a checkpoint was cosigned, in seconds; the caller must have verified the signature. */
export function getCosignedTime(signature: Buffer): number {
  return Number(signature.readBigUInt64BE(0))
}

function buildCosigned(text: string, time: Buffer): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${time.readBigUInt64BE(0)}\n${text}`)
}

function importPublicKey(bytes: Buffer): KeyObject {
  return createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
    format: 'jwk',
  })
}
