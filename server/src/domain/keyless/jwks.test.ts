import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Jwk, listJwksProblems } from './jwks.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const short = generateKeyPairSync('rsa', { modulusLength: 1024 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const ed25519 = generateKeyPairSync('ed25519')
const exportPublic = ({ publicKey }: { publicKey: typeof rsa.publicKey }, more: object = {}): Jwk => ({
  ...publicKey.export({ format: 'jwk' }),
  kid: 'one',
  ...more,
})

const find = (key: Jwk) => listJwksProblems({ keys: [key] })['jwks.keys[0]']

const PRIVATE =
  'This is a private key. Treat it as leaked, replace it at the issuer, and give only the public key here'
const SYMMETRIC = 'This is a symmetric key: whoever has it can sign. Give the public key of the issuer'
const NO_KID = 'A key needs a kid of 1 to 255 characters'
const OTHER = 'A key should be RSA, EC with the curve P-256, or OKP with the curve Ed25519'

it.each<[string, Jwk]>([
  ['RSA', exportPublic(rsa, { alg: 'RS256', use: 'sig' })],
  ['RSA without an algorithm, with a certificate', exportPublic(rsa, { x5c: ['MII'] })],
  ['P-256', exportPublic(p256, { alg: 'ES256' })],
  ['Ed25519', exportPublic(ed25519, { alg: 'EdDSA' })],
])('a rule can have a public key of %s', (_what, key) => expect(find(key)).toBeUndefined())

describe('a rule cannot have', () => {
  it.each<[string, Jwk, string]>([
    ['a private RSA key', { ...rsa.privateKey.export({ format: 'jwk' }), kid: 'one' }, PRIVATE],
    ['a private EC key', { ...p256.privateKey.export({ format: 'jwk' }), kid: 'one' }, PRIVATE],
    ['a private Ed25519 key', { ...ed25519.privateKey.export({ format: 'jwk' }), kid: 'one' }, PRIVATE],
    ['one prime of a private key', exportPublic(rsa, { p: 'AQAB' }), PRIVATE],
    ['a secret beside a public key', exportPublic(rsa, { k: 'AQAB' }), PRIVATE],
    ['a symmetric key', { kty: 'oct', k: 'AQAB', kid: 'one' }, SYMMETRIC],
    ['a symmetric key without its bytes', { kty: 'oct', kid: 'one' }, SYMMETRIC],
    ['a key without an id', exportPublic(rsa, { kid: undefined }), NO_KID],
    ['a key with an empty id', exportPublic(rsa, { kid: '' }), NO_KID],
    ['a key with a long id', exportPublic(rsa, { kid: 'x'.repeat(256) }), NO_KID],
    ['a key with a number as its id', exportPublic(rsa, { kid: 1 }), NO_KID],
    ['a key for encryption', exportPublic(rsa, { use: 'enc' }), 'The use of a key should be sig'],
    ['another algorithm', exportPublic(rsa, { alg: 'PS256' }), 'The algorithm of this key should be RS256'],
    [
      'a shared-secret algorithm',
      exportPublic(rsa, { alg: 'HS256' }),
      'The algorithm of this key should be RS256',
    ],
    ['another curve', exportPublic(p384), OTHER],
    ['an unknown kind', { kty: 'AKP', kid: 'one' }, OTHER],
    ['nothing', {}, NO_KID],
    [
      'a short key',
      exportPublic(short),
      'This is not a public key for RS256, or one that is too short or too long',
    ],
    [
      'half a point',
      exportPublic(p256, { y: undefined }),
      'This is not a public key for ES256, or one that is too short or too long',
    ],
    [
      'a number that is not base64url',
      exportPublic(rsa, { n: `${'A'.repeat(342)}=` }),
      'This is not a public key for RS256, or one that is too short or too long',
    ],
  ])('%s', (_what, key, sentence) => expect(find(key)).toBe(sentence))

  it('two keys of one id', () =>
    expect(listJwksProblems({ keys: [exportPublic(rsa), exportPublic(p256)] })).toEqual({
      'jwks.keys[1]': 'Another key has the same kid',
    }))

  it('more than 16,384 characters', () =>
    expect(listJwksProblems({ keys: [exportPublic(rsa, { x5c: ['M'.repeat(16_384)] })] })).toEqual({
      jwks: 'Input should have at most 16384 characters',
    }))
})
