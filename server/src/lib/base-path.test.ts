import { describe, expect, it } from 'vitest'
import { addBasePathToLinks, readBasePath, removeBasePath } from './base-path.ts'

describe('the path of the public URL', () => {
  it.each([
    ['https://waybill.example', ''],
    ['https://waybill.example/', ''],
    ['https://tools.example/waybill', '/waybill'],
    ['https://tools.example:8443/a/b/', '/a/b'],
  ])('of %s is %j', (url, expected) => {
    expect(readBasePath(url)).toBe(expected)
  })

  it.each([
    ['/waybill', '/'],
    ['/waybill/', '/'],
    ['/waybill?next=%2Fa', '/?next=%2Fa'],
    ['/waybill/acme/flows?x=1', '/acme/flows?x=1'],
    ['/waybill/waybill/flows', '/waybill/flows'],
    ['/ready', '/ready'],
    ['/waybill/metrics', '/waybill/metrics'],
    ['/waybill/metrics?x', '/waybill/metrics?x'],
    ['/waybill/metrics/flows', '/metrics/flows'],
    ['/waybills/acme', '/waybills/acme'],
  ])('is removed from %s: %s', (url, expected) => {
    expect(removeBasePath(url, '/waybill')).toBe(expected)
  })

  it('changes nothing when there is none', () => {
    expect(removeBasePath('/acme', '')).toBe('/acme')
    expect(addBasePathToLinks('<a href="/acme">', '')).toBe('<a href="/acme">')
  })

  it('is added to own links and forms only', () => {
    const page =
      '<form action="/auth/link"><a href="/">x</a><a href="//other">y</a><p>/auth &quot;/x&quot;</p>'
    expect(addBasePathToLinks(page, '/w')).toBe(
      '<form action="/w/auth/link"><a href="/w/">x</a><a href="//other">y</a><p>/auth &quot;/x&quot;</p>',
    )
  })
})
