import { describe, expect, it } from 'vitest'
import { evaluateToken } from './evaluate-token.ts'
import type { ExpectedClaims } from './rule.ts'

const NOW = new Date('2026-03-03T12:00:00Z')
const NOW_S = NOW.getTime() / 1000
const RULE = { issuer: 'https://ci.example', issuer_kind: null, audience: 'https://waybill.example/acme' }
const PIN = { repository_id: '74' }
const TOKEN = {
  iss: 'https://ci.example',
  aud: 'https://waybill.example/acme',
  sub: 'repo:acme/backend:ref:refs/heads/main',
  iat: NOW_S,
  nbf: NOW_S,
  exp: NOW_S + 300,
  repository_id: '74',
  repository: 'acme/backend',
  ref: 'refs/heads/main',
  run_attempt: 2,
  huge: JSON.parse('9007199254740993'),
  protected: true,
  groups: ['a'],
}

const evaluate = (token: Record<string, unknown>, claims: ExpectedClaims = {}) =>
  evaluateToken({ ...RULE, claims: { ...PIN, ...claims } }, { ...TOKEN, ...token }, NOW)
const listFailedClaims = (...args: Parameters<typeof evaluate>) => {
  const verdict = evaluate(...args)
  return verdict.ok ? [] : verdict.reasons.map(({ claim }) => claim)
}

describe('the token itself', () => {
  it('is accepted with the subject it names', () =>
    expect(evaluate({})).toEqual({ ok: true, subject: TOKEN.sub }))

  it.each<[string, Record<string, unknown>, string[]]>([
    ['another issuer', { iss: 'https://ci.example/' }, ['iss']],
    ['no issuer', { iss: undefined }, ['iss']],
    ['another audience', { aud: 'https://waybill.example/other' }, ['aud']],
    ['no audience', { aud: undefined }, ['aud']],
    ['several audiences, ours among them', { aud: ['x', RULE.audience] }, []],
    ['several audiences without ours', { aud: ['x', `${RULE.audience}/`] }, ['aud']],
    ['an end 59 s ago', { iat: NOW_S - 300, exp: NOW_S - 59 }, []],
    ['an end 60 s ago', { iat: NOW_S - 300, exp: NOW_S - 60 }, ['exp']],
    ['no end', { exp: undefined }, ['exp']],
    ['an end that is a text', { exp: String(NOW_S + 300) }, ['exp']],
    ['a beginning in 60 s', { nbf: NOW_S + 60 }, []],
    ['a beginning in 61 s', { nbf: NOW_S + 61 }, ['nbf']],
    ['no beginning', { nbf: undefined }, []],
    ['a beginning that is a text', { nbf: '0' }, ['nbf']],
    ['issued in 60 s', { iat: NOW_S + 60 }, []],
    ['issued in 61 s', { iat: NOW_S + 61 }, ['iat']],
    ['never issued', { iat: undefined }, ['iat']],
    ['a life of a day', { exp: NOW_S + 86_400 }, []],
    ['a life of more than a day', { exp: NOW_S + 86_401 }, ['exp']],
    ['no subject', { sub: undefined }, ['sub']],
    ['an empty subject', { sub: '' }, ['sub']],
    ['a subject that is a number', { sub: 7 }, ['sub']],
    ['a subject with a NUL', { sub: 'a\0b' }, ['sub']],
    ['a subject with half a character', { sub: 'a\ud800' }, ['sub']],
    ['a subject beyond measure', { sub: 'x'.repeat(1025) }, ['sub']],
  ])('with %s', (_what, token, reasons) => expect(listFailedClaims(token)).toEqual(reasons))
})

describe('a claim of the rule', () => {
  it.each<[string, ExpectedClaims, string[]]>([
    ['the number of the repository', { repository_id: '74' }, []],
    ['another repository', { repository_id: '75' }, ['repository_id']],
    ['a longer number', { repository_id: '7' }, ['repository_id']],
    ['the number under another name', { project_id: '74' }, ['project_id']],
    ['a claim as it is written', { ref: 'refs/heads/main' }, []],
    ['another case', { ref: 'refs/heads/Main' }, ['ref']],
    ['only the beginning, without a star', { ref: 'refs/heads/' }, ['ref']],
    ['the beginning, with a star', { ref: 'refs/heads/*' }, []],
    ['a star for nothing more', { ref: 'refs/heads/main*' }, []],
    ['another beginning, with a star', { ref: 'refs/tags/*' }, ['ref']],
    ['a star that is no wildcard there', { repository: 'acme/*' }, ['repository']],
    ['a star in the pin', { repository_id: '7*' }, ['repository_id']],
    ['a number', { run_attempt: '2' }, []],
    ['a number that readers round', { huge: '9007199254740992' }, ['huge']],
    ['a truth value', { protected: 'true' }, []],
    ['a list', { groups: 'a' }, ['groups']],
    ['what is not in the token', { environment: 'prod*' }, ['environment']],
    ['what every object has', { constructor: 'function Object() { [native code] }' }, ['constructor']],
    ['two things, one of them wrong', { repository_id: '74', ref: 'x' }, ['ref']],
    ['two things, both wrong', { repository_id: '1', ref: 'x' }, ['repository_id', 'ref']],
  ])('is %s', (_what, claims, reasons) => expect(listFailedClaims({}, claims)).toEqual(reasons))

  it('says what was expected and what was found', () => {
    expect(evaluate({ aud: 'x' }, { repository_id: '75', environment: 'prod', groups: 'b' })).toEqual({
      ok: false,
      reasons: [
        { claim: 'aud', expected: RULE.audience, found: 'x' },
        { claim: 'repository_id', expected: '75', found: '74' },
        { claim: 'environment', expected: 'prod', found: 'nothing' },
        { claim: 'groups', expected: 'b', found: '["a"]' },
      ],
    })
  })
})

describe('a pin', () => {
  const SUB = 'system:serviceaccount:waybill:reporter'
  const evaluatePin = (rule: { issuer_kind: string | null; claims: ExpectedClaims }, sub: unknown) => {
    const verdict = evaluateToken({ ...RULE, ...rule }, { ...TOKEN, sub }, NOW)
    return verdict.ok || verdict.reasons.map(({ claim }) => claim)
  }

  it.each<[string, string, unknown]>([
    ['is found', SUB, SUB],
    ['is not a beginning', SUB, `${SUB}-2`],
    ['is not an end', SUB, `x${SUB}`],
    ['has no other case', SUB, SUB.toUpperCase()],
    ['has no space around it', SUB, `${SUB} `],
    ['has no look-alike', SUB, SUB.replace('a', 'а')],
    ['is compared byte by byte', 'b\u00fcro', 'bu\u0308ro'],
  ])('%s', (_what, expected, found) =>
    expect(evaluatePin({ issuer_kind: 'generic', claims: { sub: expected } }, found)).toEqual(
      expected === found || ['sub'],
    ),
  )

  it('has no wildcard, even if one is stored', () => {
    const claims = { sub: 'system:serviceaccount:waybill:*' }
    expect(evaluatePin({ issuer_kind: 'kubernetes', claims }, SUB)).toEqual(['sub'])
    expect(evaluatePin({ issuer_kind: 'github', claims: { ...claims, ...PIN } }, SUB)).toBe(true)
  })

  it.each<[string, string | null, ExpectedClaims]>([
    ['no claims', null, {}],
    ['another claim', 'gitlab', { ref: 'refs/heads/main' }],
    ['the pin of another kind', 'buildkite', { repository_id: '74' }],
    ['a kind that this version does not know', 'tekton', { sub: SUB }],
  ])('is missing in a rule with %s, which matches nothing', (_what, issuer_kind, claims) =>
    expect(evaluatePin({ issuer_kind, claims }, SUB)).toEqual(['sub']),
  )
})
