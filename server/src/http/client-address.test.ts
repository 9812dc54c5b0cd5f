import { type IpRange, parseIpRange } from '@waybill/egress'
import { describe, expect, it } from 'vitest'
import { resolveClientAddress } from './client-address.ts'

const PROXIES = ['10.0.0.0/8', 'fd00::/8', '192.0.2.1'].map(parseIpRange) as IpRange[]
const PROXY = '10.0.0.1'

function resolve(headers: { 'x-forwarded-for'?: string; forwarded?: string }, peer = PROXY): string {
  return resolveClientAddress({ peer, headers, trusted_proxies: PROXIES })
}

describe('X-Forwarded-For', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['1.1.1.1, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7,10.1.1.1 , 192.0.2.1', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8::1]:51234', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    // All are proxies: the first one is the origin.
    ['10.3.3.3, 10.2.2.2', '10.3.3.3'],
    // An unreadable entry ends the walk at its sender.
    ['203.0.113.7, unknown', PROXY],
    ['203.0.113.7, ', PROXY],
    ['', PROXY],
    ['203.0.113.7, junk, 10.2.2.2', '10.2.2.2'],
    ['203.0.113.256', PROXY],
    ['203.0.113.7:', PROXY],
    ['203.0.113.7:port', PROXY],
    ['fe80::1%eth0', PROXY],
  ])('%j is %s', (list, address) => expect(resolve({ 'x-forwarded-for': list })).toBe(address))
})

describe('Forwarded', () => {
  it.each([
    ['for=203.0.113.7', '203.0.113.7'],
    ['For="[2001:db8::1]:4711";proto=https;by=10.0.0.1', '2001:db8::1'],
    ['for=1.1.1.1, for=203.0.113.7;host="a,b;c=\\"d\\""', '203.0.113.7'],
    ['for=203.0.113.7, for=10.2.2.2', '203.0.113.7'],
    ['for=203.0.113.7, for=unknown', PROXY],
    ['for=203.0.113.7, for=_hidden', PROXY],
    ['for=203.0.113.7, proto=https', PROXY],
    ['for=203.0.113.7;for=1.1.1.1', PROXY],
    ['for="203.0.113.7', PROXY],
    ['203.0.113.7', PROXY],
  ])('%j is %s', (header, address) => expect(resolve({ forwarded: header })).toBe(address))
})

it('trusts neither of two headers that disagree, and both if they agree', () => {
  const resolveBoth = (forwarded: string) => resolve({ 'x-forwarded-for': '203.0.113.7', forwarded })
  expect(resolveBoth('for=203.0.113.7')).toBe('203.0.113.7')
  expect(resolveBoth('for=1.1.1.1')).toBe(PROXY)
  expect(resolveBoth('junk')).toBe(PROXY)
})

it('reads no header from untrusted peers', () => {
  for (const peer of ['203.0.113.9', '192.0.2.2', '2001:db8::9', '::ffff:203.0.113.9'])
    expect(resolve({ 'x-forwarded-for': '1.1.1.1', forwarded: 'for=1.1.1.1' }, peer)).toBe(
      peer.replace('::ffff:', ''),
    )
  expect(resolve({}, '::ffff:10.0.0.1')).toBe('10.0.0.1')
})
