import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  classifyToken,
  hashSecret,
  isImportableSecret,
  parseTokenKind,
  systemSecrets,
  toHint,
} from './secrets.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KEY = /^wb_(user|svc)_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/
const createKey = () => systemSecrets.createToken('user').key

describe('a new key', () => {
  it.each(['user', 'svc'] as const)('has the fixed format of kind %s', kind => {
    const { key, secret_hash, hint } = systemSecrets.createToken(kind)
    expect(key).toMatch(KEY)
    expect(key.startsWith(`wb_${kind}_`)).toBe(true)
    expect(classifyToken(key)).toBe('key')
    expect(secret_hash).toBe(hashSecret(key))
    expect(hint).toBe(key.slice(0, -50))
  })

  it('is unique, like its hint, among ten thousand', () => {
    const made = Array.from({ length: 10_000 }, () => systemSecrets.createToken('svc'))
    for (const part of ['key', 'secret_hash', 'hint'] as const) {
      expect(new Set(made.map(key => key[part])).size).toBe(10_000)
    }
    expect(made.every(({ key }) => classifyToken(key) === 'key')).toBe(true)
  })

  it.each(['user', 'svc', 'ci', 'scim', 'ses', 'link', 'inv'] as const)(
    'of kind %s matches the pattern that scanners look for',
    kind => {
      const documented = /^wb_(user|svc|ci|scim|ses|link|inv)_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/
      expect(systemSecrets.createToken(kind).key).toMatch(documented)
    },
  )

  it('ends in the CRC-32 of the rest, in base 62', () => {
    for (let i = 0; i < 100; i++) {
      const key = createKey()
      const digits = [...key.slice(-6)].map(digit => ALPHABET.indexOf(digit))
      expect(digits.reduce((sum, digit) => sum * 62 + digit, 0)).toBe(crc32(key.slice(0, -6)))
    }
  })

  it('uses every digit about equally often', () => {
    const digits = Array.from({ length: 2000 }, () => createKey().slice(21, 64)).join('')
    const expected = digits.length / ALPHABET.length
    for (const digit of ALPHABET) {
      const found = digits.split(digit).length - 1
      expect(Math.abs(found - expected)).toBeLessThan(expected * 0.2)
    }
  })
})

describe('a presented token', () => {
  it('is junk with any one character mistyped, ten thousand times', () => {
    const start = 'wb_'.length
    for (let i = 0; i < 10_000; i++) {
      const key = createKey()
      const at = start + (i % (key.length - start))
      const wrong = [...ALPHABET].filter(digit => digit !== key[at])[i % 61]
      const typo = key.slice(0, at) + wrong + key.slice(at + 1)
      expect(classifyToken(typo)).toBe('junk')
    }
  })

  it.each([
    ['a digit missing', (key: string) => key.slice(0, -1)],
    ['a digit more', (key: string) => `${key}0`],
    ['another kind', (key: string) => key.replace('_user_', '_svc_')],
    ['an unknown kind', (key: string) => key.replace('_user_', '_root_')],
    ['two digits swapped', (key: string) => key.slice(0, -8) + [...key.slice(-8)].reverse().join('')],
    ['a line end', (key: string) => `${key}\n`],
    ['nothing but the prefix', () => 'wb_'],
  ])('is junk with %s', (_, spoil) => {
    // Reversing eight equal digits would change nothing; this key has different ones.
    let key = createKey()
    while (new Set(key.slice(-8)).size < 8) key = createKey()
    expect(classifyToken(spoil(key))).toBe('junk')
  })

  it.each(['scim', 'ses', 'link', 'inv'] as const)('is not a key if it is a %s', kind => {
    const { key } = systemSecrets.createToken(kind)
    expect(classifyToken(key)).toBe('junk')
    expect(isImportableSecret(key)).toBe(false)
    expect(parseTokenKind(key)).toBe(kind)
  })

  it('is an imported secret if it does not begin like ours', () => {
    expect(classifyToken('x'.repeat(20))).toBe('imported')
    expect(classifyToken('!~'.repeat(256))).toBe('imported')
    expect(classifyToken(createKey().replace('wb_', 'vb_'))).toBe('imported')
  })

  it.each([
    '',
    'x'.repeat(19),
    'x'.repeat(513),
    `${'x'.repeat(20)} `,
    `${'x'.repeat(20)}é`,
    `${'x'.repeat(20)}\0`,
  ])('is junk: %j', token => {
    expect(classifyToken(token)).toBe('junk')
    expect(isImportableSecret(token)).toBe(false)
  })
})

describe('the rest', () => {
  it('imports our own keys and opaque secrets, but no damaged keys', () => {
    const key = createKey()
    expect(isImportableSecret(key)).toBe(true)
    expect(isImportableSecret('an-opaque-secret-of-others')).toBe(true)
    expect(isImportableSecret(key.slice(0, -1))).toBe(false)
  })

  it('hashes with SHA-256', () => {
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  it('hints at no more than four characters of an opaque secret', () => {
    expect(toHint('an-opaque-secret-of-others')).toBe('an-o…')
  })

  it('creates passwords of 43 digits, a new one every time', () => {
    const made = Array.from({ length: 1000 }, systemSecrets.createPassword)
    expect(new Set(made).size).toBe(1000)
    for (const password of made) expect(password).toMatch(/^[0-9A-Za-z]{43}$/)
  })
})
