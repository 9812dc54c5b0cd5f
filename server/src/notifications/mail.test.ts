// Mails: the same content as text and as HTML, a single-line subject, and no content that is more than text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyNotice,
  BASE_URL,
  DAY,
  FINGERPRINT,
  FORK,
  GREEN,
  HOSTILE,
  makeArtifact,
  makeEnvironmentNotice,
  makeHostileNotices,
  makeKey,
  makeKeysNotice,
  NOW,
  REASON,
  SWITCHED_OFF,
  TEST,
  TOKENS_STOPPED,
} from '../domain/notification/notice.testing.ts'
import type { Notice } from '../domain/notification/notice.ts'
import { MAX_SUBJECT_CHARACTERS, renderMail } from './mail.ts'

const TAGS = 'html|head|meta|title|body|div|h1|p|a|ul|li|br|b|span|table|tr|th|td'
const TAG = new RegExp(`^</?(?:${TAGS})(?: [a-z-]+="[^"<>]*")*>$`)

const UNESCAPED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const decodeEntities = (html: string) =>
  html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (whole, name) => UNESCAPED[name] ?? whole)
const listLinks = (html: string) =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => decodeEntities(href ?? ''))

/** Everything in the HTML besides the elements and attributes that we write, and links that lead to no page. */
function listForbidden(html: string): string[] {
  const rest = html.replace('<!doctype html>', '')
  const tags = (rest.match(/<[^>]*>?/g) ?? []).filter(tag => !TAG.test(tag))
  const attributes = (rest.match(/<[^>]*>/g) ?? [])
    .flatMap(tag => [...tag.matchAll(/ ([a-z-]+)="/g)].map(([, name]) => name ?? ''))
    .filter(name => !['lang', 'charset', 'name', 'content', 'style', 'href', 'scope'].includes(name))
  const links = listLinks(html).filter(href => !/^https?:\/\//.test(href))
  const entities = rest.match(/&(?!(?:amp|lt|gt|quot|#39);)/g) ?? []
  return [...tags, ...attributes, ...links, ...entities]
}

/** The words of the HTML, as a reader sees them. */
function extractText(html: string): string {
  const body = html.slice(html.indexOf('<body'))
  return decodeEntities(body.replaceAll(/<br>|<\/(?:p|div|li|th|td|h1)>/g, ' ').replaceAll(/<[^>]*>/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function listProblems(notice: Notice): string[] {
  const { subject, text, html } = renderMail(notice, BASE_URL)
  const problems = listForbidden(html)
  if (subject.length > MAX_SUBJECT_CHARACTERS || subject === '') problems.push('the subject is too long')
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/u.test(subject)) problems.push('the subject is not one line')
  for (const part of [text, html]) {
    if (/[^\P{Cc}\n]|[\p{Surrogate}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(part))
      problems.push('unseen')
  }
  return problems
}

const red = makeEnvironmentNotice('NON_COMPLIANT_ENV', {
  artifacts: [makeArtifact(), makeArtifact({ name: 'api:2', provenance: null, fingerprint: '' })],
  artifacts_total: 12,
})
const NOTICES: readonly [string, Notice][] = [
  ['a red environment', red],
  ['a green environment', makeEnvironmentNotice('COMPLIANT_ENV')],
  ['an environment without a snapshot', makeEnvironmentNotice('ALLOWED_ARTIFACT', { snapshot: null })],
  [
    'an artifact that started',
    makeEnvironmentNotice('STARTED_ARTIFACT', {
      artifacts: [makeArtifact({ change: 'started-compliant', ...GREEN })],
    }),
  ],
  [
    'an artifact that exited',
    makeEnvironmentNotice('EXITED_ARTIFACT', { artifacts: [makeArtifact({ change: 'exited' })] }),
  ],
  [
    'artifacts that changed',
    makeEnvironmentNotice('SCALED_ARTIFACT', { artifacts: [makeArtifact(), makeArtifact(GREEN)] }),
  ],
  ['no artifact', makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts: [] })],
  ['a key', makeKeysNotice([makeKey()])],
  ['many keys', makeKeysNotice(Array(130).fill(makeKey({ notice: 'last' })))],
  ['no key', makeKeysNotice([])],
  ['a test', TEST],
  ['a target that is switched off', SWITCHED_OFF],
  ['a fork of the log', FORK],
  ['a stopped SCIM token', TOKENS_STOPPED],
  [
    'a fork of the log that many witnesses have seen',
    { ...FORK, witnesses: Array(30).fill(FORK.witnesses[0]) },
  ],
]

describe('a mail', () => {
  it.each(NOTICES)('is well-formed for %s', (_what, notice) => {
    expect(listProblems(notice)).toEqual([])
  })

  it.each(NOTICES)('has the same content in HTML and in plain text for %s', (_what, notice) => {
    const { text, html } = renderMail(notice, BASE_URL)
    const shownText = extractText(html)
    const links = listLinks(html)
    for (const line of text.split('\n')) {
      const bare = line.replace(/^ *- /, '').replace(/^-- $/, '').trim()
      const address = / (https?:\/\/\S+)$/.exec(bare)?.[1]
      if (address !== undefined && links.includes(address)) {
        const words = bare
          .slice(0, -address.length)
          .trim()
          .replace(/^(\w+):/, '$1')
          .replace(/:$/, '')
        expect(shownText).toContain(words)
      } else {
        const [, label, value] = /^([A-Z][a-z ]+): (.*)$/.exec(bare) ?? []
        expect(
          shownText.includes(bare) ||
            shownText.includes(`${label} ${value}`) ||
            shownText.includes(bare.replace(': ', ' ')),
          bare,
        ).toBe(true)
      }
    }
  })

  it('says what is wrong in a non-compliant environment and how to fix it', () => {
    const { subject, text } = renderMail(red, BASE_URL)
    expect(subject).toBe('Environment prod of acme is NON-COMPLIANT')
    expect(text).toBe(`Environment prod of acme is NON-COMPLIANT

Environment prod of acme is NON-COMPLIANT: 12 of its artifacts are non-compliant (snapshot 12)

1. web:1.4: NON-COMPLIANT
   - Has no 'unit-tests' attestation of type 'junit' in trail 'release-7' of flow 'web' (rule 'attestation' of policy 'prod-rules' version 3)
     How to fix: ${REASON.remedy}
   Fingerprint: ${FINGERPRINT}
   Flow: web, trail release-7: INCOMPLETE ${BASE_URL}/acme/flows/web/artifacts/${FINGERPRINT}
   Commit: ${'c0ffee'.padEnd(40, '0')} https://git.example/acme/web/commit/c0ffee
   Build: https://ci.example/acme/web/7

2. api:2: NON-COMPLIANT
   - Has no 'unit-tests' attestation of type 'junit' in trail 'release-7' of flow 'web' (rule 'attestation' of policy 'prod-rules' version 3)
     How to fix: ${REASON.remedy}
   Fingerprint: not reported
   Provenance: not reported to any flow

and 10 more artifacts

Open snapshot 12: ${BASE_URL}/acme/environments/prod/snapshots/12

-- 
Notification 3 “Red production” of acme · by ci-robot · 2026-11-15 08:40 UTC
Notification settings: ${BASE_URL}/acme/settings/notifications
`)
  })

  it('says who owns the keys, when they expire and when they were used', () => {
    const expiring = [
      makeKey(),
      makeKey({ notice: 'last', description: '', last_used_at: null, expires_at: NOW + 3 * DAY }),
    ]
    const { subject, text, html } = renderMail(makeKeysNotice(expiring), BASE_URL)
    expect(subject).toBe('Last reminder: 2 API keys of acme will expire soon')
    expect(text).toContain(`1. for the pipeline: expires in 14 days on 2026-11-29
   Owner: service account deployer
   Key: wb_svc_AbCdEfGhIjKl…
   Expires: 2026-11-29 08:40 UTC
   Last used: 2026-11-13`)
    expect(text).toContain(`2. wb_svc_AbCdEfGhIjKl: expires in 3 days on 2026-11-18`)
    expect(text).toContain('   Last used: never')
    expect(text).toContain('Rotate keys that are still in use')
    expect(listLinks(html)).toContain(`${BASE_URL}/acme/settings/service-accounts`)
  })

  it('links owners of only personal keys to the front page', () => {
    const { html } = renderMail(makeKeysNotice([makeKey({ is_personal: true })]), BASE_URL)
    expect(listLinks(html)).toContain(`${BASE_URL}/`)
    expect(listLinks(html)).not.toContain(`${BASE_URL}/acme/settings/service-accounts`)
  })

  it('counts what it does not list', () => {
    expect(renderMail(makeKeysNotice(Array(130).fill(makeKey())), BASE_URL).text).toContain(
      '\nand 30 more keys\n',
    )
    const artifacts = [makeArtifact({ reasons: Array(4).fill(REASON) })]
    const { text } = renderMail(makeEnvironmentNotice('NON_COMPLIANT_ENV', { artifacts }), BASE_URL)
    expect(text).toContain('   - and 1 more reason\n')
  })
})

describe('untrusted text', () => {
  it.each(Object.entries(HOSTILE))('is nothing but text in a mail: %s', (_what, text) => {
    for (const notice of makeHostileNotices(text)) expect(listProblems(notice)).toEqual([])
  })

  it('is only text in a mail, whatever it is', () => {
    fc.assert(
      fc.property(anyNotice, notice => {
        expect(listProblems(notice)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    ' https://git.example',
    'data:text/html,x',
    '//git.example/x',
    '/relative',
    'https://',
    `https://git.example/${'x'.repeat(3_000)}`,
  ])('is not a link unless it is a web address: %j', address => {
    const provenance = { ...makeArtifact().provenance, commit_url: address, build_url: address }
    const artifacts = [makeArtifact({ provenance: provenance as never })]
    const { html } = renderMail(makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts }), BASE_URL)
    expect(listLinks(html).every(href => href.startsWith(`${BASE_URL}/`))).toBe(true)
  })

  it('is a link as browsers read it when it is one', () => {
    const provenance = { ...makeArtifact().provenance, build_url: 'https://ci.example/a"b<c> d?x=1&y=2' }
    const artifacts = [makeArtifact({ provenance: provenance as never })]
    const { html } = renderMail(makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts }), BASE_URL)
    expect(listLinks(html)).toContain('https://ci.example/a%22b%3Cc%3E%20d?x=1&y=2')
  })
})
