// Signatures, verified by an independent implementation.
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { buildSignatureHeaders, parseSecret, SECRET_PATTERN } from './signature.ts'

const encodeSecret = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`
const SECRET = encodeSecret(Buffer.alloc(32, 7))
const OLD_SECRET = encodeSecret(Buffer.alloc(24, 9))
const ID = 'msg_019cb35a'
const BODY = '{"name":"Grüße 😀","n":null}'
const getNowSeconds = () => Math.floor(Date.now() / 1000)

describe('a signed message', () => {
  it('is accepted by a receiver that knows any of the secrets', () => {
    const headers = buildSignatureHeaders({
      id: ID,
      timestamp_s: getNowSeconds(),
      body: BODY,
      secrets: [SECRET, OLD_SECRET],
    })
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
    for (const secret of [SECRET, OLD_SECRET]) {
      expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY))
    }
  })

  it.each<[string, { body?: string; secret?: string }, Record<string, string>]>([
    ['another body', { body: `${BODY} ` }, {}],
    ['another id', {}, { 'webhook-id': 'msg_2' }],
    ['another time', {}, { 'webhook-timestamp': String(getNowSeconds() - 1) }],
    ['another secret', { secret: encodeSecret(Buffer.alloc(32, 8)) }, {}],
  ])('is refused with %s', (_what, { body = BODY, secret = SECRET }, changed) => {
    const headers = buildSignatureHeaders({
      id: ID,
      timestamp_s: getNowSeconds(),
      body: BODY,
      secrets: [SECRET],
    })
    expect(() => new Webhook(secret).verify(body, { ...headers, ...changed })).toThrow(
      /No matching signature/,
    )
  })

  it('has the signature that the other implementation makes, whatever it says', () => {
    const given = fc.record({
      body: fc.string({ unit: 'grapheme', maxLength: 300 }),
      bytes: fc.uint8Array({ minLength: 24, maxLength: 64 }),
      timestamp_s: fc.integer({ min: 0, max: 4_000_000_000 }),
    })
    fc.assert(
      fc.property(given, ({ body, bytes, timestamp_s }) => {
        const secret = encodeSecret(bytes)
        const headers = buildSignatureHeaders({ id: ID, timestamp_s, body, secrets: [secret] })
        const theirs = new Webhook(secret).sign(ID, new Date(timestamp_s * 1000), body)
        expect(headers).toEqual({
          'webhook-id': ID,
          'webhook-timestamp': String(timestamp_s),
          'webhook-signature': theirs,
        })
      }),
    )
  })

  it('has id and time but no signature without a secret', () => {
    expect(buildSignatureHeaders({ id: ID, timestamp_s: 12.9, body: BODY, secrets: [] })).toEqual({
      'webhook-id': ID,
      'webhook-timestamp': '12',
    })
  })

  it('is never signed with a malformed secret', () => {
    const given = { id: ID, timestamp_s: 1, body: BODY, secrets: [SECRET, 'whsec_short'] }
    expect(() => buildSignatureHeaders(given)).toThrow('A stored signing secret is malformed')
  })
})

describe('a secret', () => {
  it('is 24 to 64 bytes and gives back those bytes', () => {
    for (let length = 0; length <= 100; length++) {
      const bytes = randomBytes(length)
      expect(parseSecret(encodeSecret(bytes)), `${length} bytes`).toEqual(
        length >= 24 && length <= 64 ? bytes : undefined,
      )
    }
  })

  it.each([
    ['nothing', ''],
    ['only the prefix', 'whsec_'],
    ['no prefix', SECRET.slice(6)],
    ['another prefix', SECRET.replace('whsec_', 'WHSEC_')],
    ['no padding', SECRET.replace(/=+$/, '')],
    ['too much padding', `${SECRET}=`],
    ['the alphabet of addresses', SECRET.replace(/B/, '-')],
    ['a space in it', SECRET.replace(/(.{20})/, '$1 ')],
    ['a line break after it', `${SECRET}\n`],
    ['a space before it', ` ${SECRET}`],
    ['stray bits at the end', SECRET.replace(/.=$/, 'd=')],
  ])('is refused with %s', (_what, text) => {
    expect(parseSecret(text)).toBeUndefined()
    expect(new RegExp(SECRET_PATTERN).test(text)).toBe(false)
  })

  it('is accepted only in the canonical encoding of its bytes', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='),
      minLength: 30,
      maxLength: 92,
    })
    fc.assert(
      fc.property(
        fc.oneof(
          digits,
          digits.map(text => `${text.replaceAll('=', 'x')}==`),
        ),
        text => {
          const bytes = Buffer.from(text, 'base64')
          const isGood = bytes.toString('base64') === text && bytes.length >= 24 && bytes.length <= 64
          expect(parseSecret(`whsec_${text}`)).toEqual(isGood ? bytes : undefined)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
