// Open redirects: every form of a foreign URL goes to the front page, every local path stays.
import { describe, expect, it } from 'vitest'
import { toLocalPath } from './next-path.ts'

const AWAY = [
  'https://evil.example',
  'http://evil.example/',
  'HTTPS://evil.example',
  '//evil.example',
  '///evil.example',
  '////evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '/\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/ /evil.example',
  '/\u0000/evil.example',
  '/..//evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '/%2e%2e//evil.example',
  '/%2e//evil.example',
  '/flows/%2E%2E//evil.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'evil.example',
  '.evil.example',
  '@evil.example',
  'http:evil.example',
  'https:/evil.example',
  'http:///evil.example',
  '//evil.example@waybill.invalid',
  '//user:pass@evil.example/',
  '//waybill.invalid.evil.example',
  '//[::1]/',
  '//0x7f.1/',
  '\u2028//evil.example',
  '/\u200b/evil.example',
  '/\u2028/evil.example',
  '/\r\nSet-Cookie: a=b',
  '',
  `/${'x'.repeat(3000)}`,
  undefined,
  null,
  7,
  ['/flows', '//evil.example'],
]

describe('a path to another host', () => {
  it.each(AWAY.map(form => [JSON.stringify(form)?.slice(0, 60), form]))(
    '%s goes to the front page',
    (_shown, form) => expect(toLocalPath(form)).toBe('/'),
  )

  it('has 30 forms and more', () => expect(AWAY.length).toBeGreaterThanOrEqual(30))
})

describe('a local path', () => {
  it.each([
    ['/', '/'],
    ['/flows/acme', '/flows/acme'],
    ['/flows/acme?tag=a%20b&page=2#top', '/flows/acme?tag=a%20b&page=2#top'],
    ['/flows/../trails', '/trails'],
    ['/search?q=https://elsewhere.example', '/search?q=https://elsewhere.example'],
    ['/@acme', '/@acme'],
    ['/%2F%2Fevil.example', '/%2F%2Fevil.example'],
    ['/%5Cevil.example', '/%5Cevil.example'],
    ['/größe', '/gr%C3%B6%C3%9Fe'],
  ])('%s is %s', (input, path) => expect(toLocalPath(input)).toBe(path))

  it('is a path on this host for every browser that follows it', () => {
    for (const form of AWAY) {
      expect(new URL(toLocalPath(form), 'https://waybill.example').host).toBe('waybill.example')
    }
  })
})
