// Headers of signed tokens that must be refused, whoever signed them.
import { describe, expect, it } from 'vitest'
import { findHeaderProblem } from './signed-token.ts'

const find = (more: Record<string, unknown>) => findHeaderProblem({ alg: 'RS256', kid: 'one', ...more })

describe('the header of a signed token', () => {
  it.each<[string, Record<string, unknown>]>([
    ['without a type', {}],
    ['of the type JWT', { typ: 'JWT' }],
    ['of that type in other letters', { typ: 'jwt' }],
    ['of the media type', { typ: 'application/jwt' }],
    ['of the media type in other letters', { typ: 'Application/JWT' }],
    ['with the content type JSON', { cty: 'json' }],
    ['with what it need not understand', { x5t: 'abc', jku: 'https://keys.example', zip: 'DEF' }],
    ['with b64 that changes nothing', { b64: true }],
  ])('%s is accepted', (_what, more) => expect(find(more)).toBeUndefined())

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['an unknown critical extension', { crit: ['exp'], exp: 1 }, /crit/],
    ['a critical extension that is missing', { crit: ['x'] }, /crit/],
    ['a registered name as critical', { crit: ['alg'] }, /crit/],
    ['the same critical extension twice', { crit: ['b64', 'b64'], b64: true }, /crit/],
    ['the critical extension b64', { crit: ['b64'], b64: false }, /crit/],
    ['b64 as critical, which changes nothing', { crit: ['b64'], b64: true }, /crit/],
    ['no critical extension', { crit: [] }, /crit/],
    ['null for critical extensions', { crit: null }, /crit/],
    ['a text for critical extensions', { crit: 'exp' }, /crit/],
    ['an unencoded payload', { b64: false }, /b64/],
    ['a text for b64', { b64: 'true' }, /b64/],
    ['the type of an access token', { typ: 'at+jwt' }, /at\+jwt/],
    ['that type as a media type', { typ: 'application/at+jwt' }, /at\+jwt/],
    ['the type of a logout token', { typ: 'logout+jwt' }, /logout\+jwt/],
    ['the type of a security event', { typ: 'secevent+jwt' }, /secevent\+jwt/],
    ['a type that says less', { typ: 'JOSE' }, /JOSE/],
    ['an empty type', { typ: '' }, /typ/],
    ['a type that is no text', { typ: ['JWT'] }, /typ/],
    ['null for a type', { typ: null }, /typ/],
    ['another token as content', { cty: 'JWT' }, /cty/],
    ['another token as content, in other letters', { cty: 'application/jwt' }, /cty/],
    ['a content type that is no text', { cty: 1 }, /cty/],
  ])('with %s is refused', (_what, more, reason) => expect(find(more)).toMatch(reason))
})
