import { describe, expect, it } from 'vitest'
import { parseEgressAllow, requireEgressAllow } from './allow.ts'
import { findUrlFault, parseEgressUrl } from './egress-url.ts'

describe('the allow-list of the operator', () => {
  const allow = requireEgressAllow([
    '10.1.0.0/16',
    'fd00::/8',
    '192.168.7.7',
    'hooks.internal',
    'Intake',
    '*.corp',
  ])

  it.each([
    ...[
      '10.1.2.3',
      '192.168.7.7',
      '[fd12::1]',
      'hooks.internal',
      'HOOKS.internal.',
      'intake',
      'a.corp',
      'a.b.corp',
    ],
    'hooks.example',
  ])('allows %s', host => expect(parseEgressUrl(`https://${host}/a`, allow)).toBeDefined())

  it.each([
    ...['10.2.0.1', '192.168.7.8', '127.0.0.1', '[::ffff:10.1.2.3]', '[fe80::1]', 'a.hooks.internal', 'corp'],
    ...['other.internal', 'intakes', 'localhost', 'acorp'],
  ])('does not allow %s', host => expect(findUrlFault(`https://${host}/a`, allow)).toBe('inner'))

  it('still requires https', () => {
    expect(findUrlFault('http://hooks.internal/a', allow)).toBe('scheme')
    expect(findUrlFault('https://user@hooks.internal/a', allow)).toBe('userinfo')
  })

  it.each([
    '10.0.0.0/33',
    '10.0.0',
    '10.0.0.0/8/8',
    'https://hooks',
    'a b',
    '*',
    '*.',
    'a.*',
    '*.*.b',
    '0x7f.1',
    'a..b',
  ])('rejects the entry %j', entry => {
    expect(parseEgressAllow(['10.0.0.0/8', entry])).toBeUndefined()
  })
})
