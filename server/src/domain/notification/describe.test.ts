// The sentences, as people read them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  artifactStanding,
  description,
  expiryOf,
  footnote,
  headline,
  leftOut,
  reasonSentence,
  reasonsOf,
} from './describe.ts'
import {
  anyNotice,
  artifact,
  DAY,
  environmentNotice,
  flowNotice,
  GREEN,
  HOSTILE,
  hostileNotices,
  key,
  keysNotice,
  NOW,
  REASON,
  SWITCHED_OFF,
  TEST,
} from './notice.testing.ts'
import type { Notice } from './notice.ts'
import { cut, nameOf, oneLine } from './plain-text.ts'

const started = (given = {}) => artifact({ change: 'started-non-compliant', ...given })
const many = [started(), started({ name: 'api:2', ...GREEN }), started({ name: 'db:3', ...GREEN })]
const in_unknown = { snapshot: { index: 12, compliant: null } }

const CASES: readonly [what: string, notice: Notice, headline: string, description: string][] = [
  [
    'a trail that began',
    flowNotice('STARTED_TRAIL'),
    'Trail release-7 began in flow web of acme',
    'Trail release-7 began in flow web of acme',
  ],
  [
    'an artifact that was reported',
    flowNotice('ATTESTED_PROVENANCE'),
    'Artifact web:1.4 was reported in flow web of acme',
    'Artifact web:1.4 was reported in flow web of acme (trail release-7)',
  ],
  [
    'an attestation for an artifact',
    flowNotice('ATTESTATION'),
    'Attestation unit-tests for artifact web:1.4 in flow web of acme is NON-COMPLIANT',
    'Attestation unit-tests for artifact web:1.4 in flow web of acme is NON-COMPLIANT (trail release-7)',
  ],
  [
    'an attestation for a trail',
    flowNotice('ATTESTATION', { artifact: null }),
    'Attestation unit-tests for trail release-7 in flow web of acme is NON-COMPLIANT',
    'Attestation unit-tests for trail release-7 in flow web of acme is NON-COMPLIANT',
  ],
  [
    'an approval',
    flowNotice('APPROVAL', { approval: { number: 6, state: 'PENDING' } }),
    'Approval 6 of artifact web:1.4 in flow web of acme is PENDING',
    'Approval 6 of artifact web:1.4 in flow web of acme is PENDING',
  ],
  [
    'a release',
    flowNotice('RELEASE'),
    'Artifact web:1.4 of flow web of acme is approved',
    'Artifact web:1.4 of flow web of acme is approved',
  ],
  [
    'one artifact that started',
    environmentNotice('STARTED_ARTIFACT', { artifacts: [started()] }),
    'Artifact web:1.4 started in environment prod of acme',
    'Artifact web:1.4 started in environment prod of acme and is NON-COMPLIANT (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that started unjudged',
    environmentNotice('STARTED_ARTIFACT', {
      artifacts: [started({ change: 'started-unknown', compliant: null })],
      ...in_unknown,
    }),
    'Artifact web:1.4 started in environment prod of acme',
    'Artifact web:1.4 started in environment prod of acme, its compliance is UNKNOWN (snapshot 12: UNKNOWN)',
  ],
  [
    'several that started',
    environmentNotice('STARTED_ARTIFACT', { artifacts: many }),
    '3 artifacts started in environment prod of acme',
    '3 artifacts started in environment prod of acme, 1 of them NON-COMPLIANT (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'more that started than are listed',
    environmentNotice('STARTED_ARTIFACT', { artifacts: many, artifacts_total: 30, snapshot: null }),
    '30 artifacts started in environment prod of acme',
    '30 artifacts started in environment prod of acme, at least 1 of them NON-COMPLIANT',
  ],
  [
    'none that started',
    environmentNotice('STARTED_ARTIFACT', { artifacts: [], snapshot: null }),
    'No artifacts started in environment prod of acme',
    'No artifacts started in environment prod of acme',
  ],
  [
    'one that exited',
    environmentNotice('EXITED_ARTIFACT', { artifacts: [artifact({ change: 'exited' })] }),
    'Artifact web:1.4 exited from environment prod of acme',
    'Artifact web:1.4 exited from environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'several that exited',
    environmentNotice('EXITED_ARTIFACT', { artifacts: many }),
    '3 artifacts exited from environment prod of acme',
    '3 artifacts exited from environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that turned red',
    environmentNotice('SCALED_ARTIFACT', { artifacts: [artifact({ change: 'became-non-compliant' })] }),
    'Artifact web:1.4 is now NON-COMPLIANT in environment prod of acme',
    'Artifact web:1.4 is now NON-COMPLIANT in environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that turned green',
    environmentNotice('SCALED_ARTIFACT', { artifacts: [artifact({ change: 'became-compliant', ...GREEN })] }),
    'Artifact web:1.4 is now COMPLIANT in environment prod of acme',
    'Artifact web:1.4 is now COMPLIANT in environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one of which nothing is known any more',
    environmentNotice('SCALED_ARTIFACT', {
      artifacts: [artifact({ change: 'changed', compliant: null })],
      ...in_unknown,
    }),
    'Artifact web:1.4 is now UNKNOWN in environment prod of acme',
    'Artifact web:1.4 is now UNKNOWN in environment prod of acme (snapshot 12: UNKNOWN)',
  ],
  [
    'one that was scaled',
    environmentNotice('SCALED_ARTIFACT', {
      artifacts: [artifact({ change: 'scaled', instances: { was: 3, now: 1 }, ...GREEN })],
    }),
    'Artifact web:1.4 went from 3 to 1 instance in environment prod of acme',
    'Artifact web:1.4 went from 3 to 1 instance in environment prod of acme and is COMPLIANT (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that gained provenance',
    environmentNotice('SCALED_ARTIFACT', { artifacts: [artifact({ change: 'updated-provenance' })] }),
    'Artifact web:1.4 gained provenance in environment prod of acme',
    'Artifact web:1.4 gained provenance in environment prod of acme and is NON-COMPLIANT (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'several that changed',
    environmentNotice('SCALED_ARTIFACT', { artifacts: many.slice(1) }),
    '2 artifacts changed in environment prod of acme',
    '2 artifacts changed in environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that was allowed',
    environmentNotice('ALLOWED_ARTIFACT', {
      artifacts: [artifact({ change: 'allow-listed', ...GREEN })],
      snapshot: null,
    }),
    'Artifact web:1.4 was allow-listed in environment prod of acme',
    'Artifact web:1.4 was allow-listed in environment prod of acme',
  ],
  [
    'several that were allowed',
    environmentNotice('ALLOWED_ARTIFACT', { artifacts: many, snapshot: { index: 1, compliant: true } }),
    '3 artifacts were allow-listed in environment prod of acme',
    '3 artifacts were allow-listed in environment prod of acme (snapshot 1: COMPLIANT)',
  ],
  [
    'a red environment with one offender',
    environmentNotice('NON_COMPLIANT_ENV'),
    'Environment prod of acme is NON-COMPLIANT',
    'Environment prod of acme is NON-COMPLIANT: 1 of its artifacts does not comply (snapshot 12)',
  ],
  [
    'a red environment with several',
    environmentNotice('NON_COMPLIANT_ENV', { artifacts_total: 17 }),
    'Environment prod of acme is NON-COMPLIANT',
    'Environment prod of acme is NON-COMPLIANT: 17 of its artifacts do not comply (snapshot 12)',
  ],
  [
    'a red environment without one',
    environmentNotice('NON_COMPLIANT_ENV', { artifacts: [], snapshot: null }),
    'Environment prod of acme is NON-COMPLIANT',
    'Environment prod of acme is NON-COMPLIANT',
  ],
  [
    'a green environment',
    environmentNotice('COMPLIANT_ENV'),
    'Environment prod of acme is COMPLIANT',
    'Environment prod of acme is COMPLIANT: everything that runs in it complies (snapshot 12)',
  ],
  [
    'one key, first',
    keysNotice([key()]),
    'API key of service account deployer in acme expires in 14 days on 2026-11-29',
    "API key 'for the pipeline' of service account deployer in acme expires in 14 days on 2026-11-29; rotate it before then",
  ],
  [
    'one personal key without description, last',
    keysNotice([
      key({ is_personal: true, owner: 'mara', description: '', notice: 'last', expires_at: NOW + DAY }),
    ]),
    'Last call: API key of user mara in acme expires in 1 day on 2026-11-16',
    'Last call: API key of user mara in acme expires in 1 day on 2026-11-16; rotate it before then',
  ],
  [
    'several keys',
    keysNotice([key(), key({ owner: 'other', expires_at: NOW + 3 * DAY })]),
    '2 API keys of acme will expire soon',
    "2 API keys of acme will expire soon; the first of them, API key 'for the pipeline' of service account other, expires in 3 days on 2026-11-18",
  ],
  [
    'several keys, one of them last',
    keysNotice([key({ notice: 'last', expires_at: NOW + 3 * DAY }), key()]),
    'Last call: 2 API keys of acme will expire soon',
    "Last call: 2 API keys of acme will expire soon; the first of them, API key 'for the pipeline' of service account deployer, expires in 3 days on 2026-11-18",
  ],
  ['no key', keysNotice([]), '0 API keys of acme will expire soon', '0 API keys of acme will expire soon'],
  [
    'a test',
    TEST,
    'Test notification from acme',
    "This is a test of notification 3 'Red production' of acme, sent by mara: nothing has happened",
  ],
  [
    'a test of what the service raises by itself',
    { ...TEST, notification: null },
    'Test notification from acme',
    'This is a test of the notices of acme, sent by mara: nothing has happened',
  ],
  [
    'a target that is switched off',
    SWITCHED_OFF,
    'Notifications of acme to https://hooks.example are switched off',
    "Notification 3 'Red production' of acme is no longer sent to https://hooks.example: nothing arrived since 2026-11-10 08:40 UTC; the latest attempt said: The receiver answered 500",
  ],
  [
    'a target of what the service raises by itself',
    { ...SWITCHED_OFF, notification: null, error: '' },
    'Notifications of acme to https://hooks.example are switched off',
    'Notices of acme are no longer sent to https://hooks.example: nothing arrived since 2026-11-10 08:40 UTC',
  ],
]

describe('a notice in words', () => {
  it.each(CASES)('%s', (_what, notice, head, sentence) => {
    expect(headline(notice)).toBe(head)
    expect(description(notice)).toBe(sentence)
  })

  it.each(Object.entries(HOSTILE))('is one short line with %s in every place', (_what, text) => {
    for (const notice of hostileNotices(text)) {
      for (const said of [headline(notice), description(notice), footnote(notice)]) {
        expect(said).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u2029\u202e\u2066\u200b\ufeff]/u)
        expect(said.length).toBeLessThan(700)
      }
    }
  })

  it('is one short line whatever is in it', () => {
    fc.assert(
      fc.property(anyNotice, notice => {
        for (const said of [headline(notice), description(notice), footnote(notice)]) {
          expect(said).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/u)
          expect(said.length).toBeLessThan(700)
        }
      }),
    )
  })
})

describe('the details', () => {
  it('tell a reason without the name that stands above it', () => {
    expect(reasonSentence(REASON)).toMatch(/^Has no 'unit-tests' attestation of type 'junit' in trail/)
    expect(reasonSentence({ ...REASON, artifact_name: 'other' })).toBe(REASON.description)
    expect(reasonSentence({ ...REASON, description: '' })).toBe('')
  })

  it.each([
    [artifact(), 1],
    [artifact(GREEN), 0],
    [artifact({ compliant: true }), 0],
    [artifact({ compliant: null }), 0],
    [artifact({ change: 'exited' }), 0],
  ])('give reasons only for what is red and runs', (told, count) =>
    expect(reasonsOf(told)).toHaveLength(count),
  )

  it.each([
    [artifact(), 'NON-COMPLIANT'],
    [artifact({ change: 'exited' }), 'exited'],
    [artifact({ change: 'started-unknown', compliant: null, instances: null }), 'started, UNKNOWN'],
    [
      artifact({ change: 'started-compliant', ...GREEN, instances: { was: 0, now: 1 } }),
      'started, COMPLIANT',
    ],
    [
      artifact({ change: 'started-compliant', ...GREEN, instances: { was: 0, now: 4 } }),
      'started with 4 instances, COMPLIANT',
    ],
    [artifact({ change: 'scaled', instances: { was: 1, now: 3 } }), 'from 1 to 3 instances, NON-COMPLIANT'],
    [artifact({ change: 'updated-provenance', ...GREEN }), 'gained provenance, COMPLIANT'],
    [artifact({ change: 'allow-listed', ...GREEN }), 'allow-listed, COMPLIANT'],
    [artifact({ change: 'became-non-compliant' }), 'NON-COMPLIANT'],
  ])('say how an artifact stands %#', (told, standing) => expect(artifactStanding(told)).toBe(standing))

  it.each([
    [NOW - 1, 'expired on 2026-11-15'],
    [NOW + 60, 'expires today, 2026-11-15'],
    // By the calendar: twenty hours later is the next day.
    [NOW + 20 * 3_600, 'expires in 1 day on 2026-11-16'],
    [NOW + 3 * DAY, 'expires in 3 days on 2026-11-18'],
  ])('say when a key ends (%i)', (expires_at, said) => expect(expiryOf(key({ expires_at }), NOW)).toBe(said))

  it('say whose notification it is and whose doing', () => {
    expect(footnote(environmentNotice('COMPLIANT_ENV'))).toBe(
      'Notification 3 “Red production” of acme · by ci-robot · 2026-11-15 08:40 UTC',
    )
    expect(footnote(keysNotice([key()]))).toBe('Notice of acme · 2026-11-15 08:40 UTC')
    expect(footnote({ ...TEST, notification: null })).toBe('Notice of acme · by mara · 2026-11-15 08:40 UTC')
  })

  it.each([
    [3, 3, null],
    [4, 3, 'and 1 more key'],
    [9, 3, 'and 6 more keys'],
  ])('count what is left out (%i, %i)', (total, shown, said) =>
    expect(leftOut(total, shown, 'key')).toBe(said),
  )
})

describe('plain text', () => {
  it.each([
    ['a\r\n\t b\u2028c', 'a b c'],
    ['  a  ', 'a'],
    ['safe\u202egpj.exe', 'safe\ufffdgpj.exe'],
    ['a\u0000\u001bb', 'a\ufffd\ufffdb'],
    ['x\ud800y', 'x\ufffdy'],
    ['می\u200cخواهم 👩\u200d🚀', 'می\u200cخواهم 👩\u200d🚀'],
  ])('is one line of what can be seen: %j', (text, line) => expect(oneLine(text)).toBe(line))

  it('is cut without splitting a character', () => {
    expect(cut('abcdef', 6)).toBe('abcdef')
    expect(cut('abcdefg', 6)).toBe('abcde…')
    expect(cut('abcd😀efg', 6)).toBe('abcd…')
    expect(nameOf('x'.repeat(5_000))).toHaveLength(120)
  })
})
