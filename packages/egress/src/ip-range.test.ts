import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameAddress, isWithin, parseIp, parseIpRange, toNetwork } from './ip-range.ts'

const toHex = (ip: string) => Buffer.from(parseIp(ip) ?? []).toString('hex')

describe('the bytes of an address', () => {
  it.each([
    ['192.0.2.1', 'c0000201'],
    ['::', '0'.repeat(32)],
    ['::1', `${'0'.repeat(31)}1`],
    ['1::', `0001${'0'.repeat(28)}`],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['2001:db8::a:b', '20010db80000000000000000000a000b'],
    ['::127.0.0.1', `${'0'.repeat(24)}7f000001`],
    ['::ffff:127.0.0.1', `${'0'.repeat(20)}ffff7f000001`],
    ['1:2:3:4:5:6:127.0.0.1', '0001000200030004000500067f000001'],
    ['64:ff9b::10.0.0.1', `0064ff9b${'0'.repeat(16)}0a000001`],
    ['1::5:6:7:8', '00010000000000000005000600070008'],
    ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
    ['::2:3:4:5:6:7:8', '00000002000300040005000600070008'],
  ])('of %s', (ip, bytes) => expect(toHex(ip)).toBe(bytes))

  it('are the same for every spelling of an IPv6 address, as in the URL parser', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
    const groups = fc.array(group, { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(groups, parts => {
        const long = parts.map(part => part.toString(16).padStart(4, '0')).join(':')
        const short = new URL(`https://[${long}]`).hostname.slice(1, -1)
        expect(toHex(short)).toBe(long.replaceAll(':', ''))
        expect(toHex(long)).toBe(long.replaceAll(':', ''))
      }),
    )
  })

  it.each(['', 'x', '1.2.3', '01.2.3.4', '1.2.3.4%eth0', 'fe80::1%1', '::g', '1:2'])(
    'do not exist for %j',
    text => expect(parseIp(text)).toBeUndefined(),
  )
})

describe('a range', () => {
  it.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['10.0.0.7', '10.0.0.7', true],
    ['10.0.0.7', '10.0.0.6', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['fd00::/9', 'fd7f::1', true],
    ['fd00::/9', 'fd80::1', false],
    ['127.0.0.0/8', '::ffff:127.0.0.1', false],
  ])('%s contains %s: %s', (range, ip, is_in) => {
    const parsed = parseIpRange(range)
    expect(parsed !== undefined && isWithin(parseIp(ip) ?? [], parsed)).toBe(is_in)
  })

  it.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/-1', '10/8', '::/129', '10.0.0.0/8/8', '/8'])(
    '%j is invalid',
    text => expect(parseIpRange(text)).toBeUndefined(),
  )
})

it('recognizes the same address in any notation, and no other', () => {
  expect(isSameAddress('::ffff:192.0.2.1', '192.0.2.1')).toBe(true)
  expect(isSameAddress('2001:DB8::1', '2001:db8:0::1')).toBe(true)
  expect(isSameAddress('192.0.2.1', '192.0.2.2')).toBe(false)
  expect(isSameAddress('::192.0.2.1', '192.0.2.1')).toBe(false)
  expect(isSameAddress('', '')).toBe(false)
})

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['no address', 'no address'],
])('%s counts as %s', (ip, network) => expect(toNetwork(ip)).toBe(network))
