// The sentences as people read them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  describeArtifact,
  describeExpiry,
  describeNotice,
  describeReason,
  describeRest,
  formatFootnote,
  formatHeadline,
  listReasons,
} from './describe.ts'
import {
  anyNotice,
  DAY,
  FORK,
  GREEN,
  HOSTILE,
  makeArtifact,
  makeEnvironmentNotice,
  makeFlowNotice,
  makeHostileNotices,
  makeKey,
  makeKeysNotice,
  NOW,
  REASON,
  SWITCHED_OFF,
  TEST,
  TOKENS_STOPPED,
} from './notice.testing.ts'
import type { Notice } from './notice.ts'
import { cut, formatName, toOneLine } from './plain-text.ts'

const makeStarted = (given = {}) => makeArtifact({ change: 'started-non-compliant', ...given })
const many = [makeStarted(), ...['api:2', 'db:3'].map(name => makeStarted({ name, ...GREEN }))]
const in_unknown = { snapshot: { index: 12, compliant: null } }

const CASES: readonly [what: string, notice: Notice, headline: string, description: string][] = [
  [
    'a trail that began',
    makeFlowNotice('STARTED_TRAIL'),
    'Trail release-7 started in flow web of acme',
    'Trail release-7 started in flow web of acme',
  ],
  [
    'an artifact that was reported',
    makeFlowNotice('ATTESTED_PROVENANCE'),
    'Artifact web:1.4 was reported in flow web of acme',
    'Artifact web:1.4 was reported in flow web of acme (trail release-7)',
  ],
  [
    'an attestation for an artifact',
    makeFlowNotice('ATTESTATION'),
    'Attestation unit-tests for artifact web:1.4 in flow web of acme is NON-COMPLIANT',
    'Attestation unit-tests for artifact web:1.4 in flow web of acme is NON-COMPLIANT (trail release-7)',
  ],
  [
    'an attestation for a trail',
    makeFlowNotice('ATTESTATION', { artifact: null }),
    'Attestation unit-tests for trail release-7 in flow web of acme is NON-COMPLIANT',
    'Attestation unit-tests for trail release-7 in flow web of acme is NON-COMPLIANT',
  ],
  [
    'an approval',
    makeFlowNotice('APPROVAL', { approval: { number: 6, state: 'PENDING' } }),
    'Approval 6 of artifact web:1.4 in flow web of acme is PENDING',
    'Approval 6 of artifact web:1.4 in flow web of acme is PENDING',
  ],
  [
    'a release',
    makeFlowNotice('RELEASE'),
    'Artifact web:1.4 of flow web of acme is approved',
    'Artifact web:1.4 of flow web of acme is approved',
  ],
  [
    'one artifact that started',
    makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts: [makeStarted()] }),
    'Artifact web:1.4 started in environment prod of acme',
    'Artifact web:1.4 started in environment prod of acme and is NON-COMPLIANT (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that started unjudged',
    makeEnvironmentNotice('STARTED_ARTIFACT', {
      artifacts: [makeStarted({ change: 'started-unknown', compliant: null })],
      ...in_unknown,
    }),
    'Artifact web:1.4 started in environment prod of acme',
    'Artifact web:1.4 started in environment prod of acme, its compliance is UNKNOWN: no policy applies (snapshot 12: UNKNOWN)',
  ],
  [
    'several that started',
    makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts: many }),
    '3 artifacts started in environment prod of acme',
    '3 artifacts started in environment prod of acme, 1 of them NON-COMPLIANT (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'more that started than are listed',
    makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts: many, artifacts_total: 30, snapshot: null }),
    '30 artifacts started in environment prod of acme',
    '30 artifacts started in environment prod of acme, at least 1 of them NON-COMPLIANT',
  ],
  [
    'none that started',
    makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts: [], snapshot: null }),
    'No artifacts started in environment prod of acme',
    'No artifacts started in environment prod of acme',
  ],
  [
    'one that exited',
    makeEnvironmentNotice('EXITED_ARTIFACT', { artifacts: [makeArtifact({ change: 'exited' })] }),
    'Artifact web:1.4 exited from environment prod of acme',
    'Artifact web:1.4 exited from environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'several that exited',
    makeEnvironmentNotice('EXITED_ARTIFACT', { artifacts: many }),
    '3 artifacts exited from environment prod of acme',
    '3 artifacts exited from environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that turned red',
    makeEnvironmentNotice('SCALED_ARTIFACT', {
      artifacts: [makeArtifact({ change: 'became-non-compliant' })],
    }),
    'Artifact web:1.4 is now NON-COMPLIANT in environment prod of acme',
    'Artifact web:1.4 is now NON-COMPLIANT in environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that turned green',
    makeEnvironmentNotice('SCALED_ARTIFACT', {
      artifacts: [makeArtifact({ change: 'became-compliant', ...GREEN })],
    }),
    'Artifact web:1.4 is now COMPLIANT in environment prod of acme',
    'Artifact web:1.4 is now COMPLIANT in environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one of which nothing is known any more',
    makeEnvironmentNotice('SCALED_ARTIFACT', {
      artifacts: [makeArtifact({ change: 'changed', compliant: null })],
      ...in_unknown,
    }),
    'Artifact web:1.4 is now UNKNOWN in environment prod of acme',
    'Artifact web:1.4 is now UNKNOWN in environment prod of acme: no policy applies (snapshot 12: UNKNOWN)',
  ],
  [
    'one that was scaled',
    makeEnvironmentNotice('SCALED_ARTIFACT', {
      artifacts: [makeArtifact({ change: 'scaled', instances: { was: 3, now: 1 }, ...GREEN })],
    }),
    'Artifact web:1.4 scaled from 3 to 1 instance in environment prod of acme',
    'Artifact web:1.4 scaled from 3 to 1 instance in environment prod of acme and is COMPLIANT (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that gained provenance',
    makeEnvironmentNotice('SCALED_ARTIFACT', { artifacts: [makeArtifact({ change: 'updated-provenance' })] }),
    'Artifact web:1.4 gained provenance in environment prod of acme',
    'Artifact web:1.4 gained provenance in environment prod of acme and is NON-COMPLIANT (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'several that changed',
    makeEnvironmentNotice('SCALED_ARTIFACT', { artifacts: many.slice(1) }),
    '2 artifacts changed in environment prod of acme',
    '2 artifacts changed in environment prod of acme (snapshot 12: NON-COMPLIANT)',
  ],
  [
    'one that was allowed',
    makeEnvironmentNotice('ALLOWED_ARTIFACT', {
      artifacts: [makeArtifact({ change: 'allow-listed', ...GREEN })],
      snapshot: null,
    }),
    'Artifact web:1.4 was allow-listed in environment prod of acme',
    'Artifact web:1.4 was allow-listed in environment prod of acme',
  ],
  [
    'several that were allowed',
    makeEnvironmentNotice('ALLOWED_ARTIFACT', { artifacts: many, snapshot: { index: 1, compliant: true } }),
    '3 artifacts were allow-listed in environment prod of acme',
    '3 artifacts were allow-listed in environment prod of acme (snapshot 1: COMPLIANT)',
  ],
  [
    'a red environment with one offender',
    makeEnvironmentNotice('NON_COMPLIANT_ENV'),
    'Environment prod of acme is NON-COMPLIANT',
    'Environment prod of acme is NON-COMPLIANT: 1 of its artifacts is non-compliant (snapshot 12)',
  ],
  [
    'a red environment with several',
    makeEnvironmentNotice('NON_COMPLIANT_ENV', { artifacts_total: 17 }),
    'Environment prod of acme is NON-COMPLIANT',
    'Environment prod of acme is NON-COMPLIANT: 17 of its artifacts are non-compliant (snapshot 12)',
  ],
  [
    'a red environment without one',
    makeEnvironmentNotice('NON_COMPLIANT_ENV', { artifacts: [], snapshot: null }),
    'Environment prod of acme is NON-COMPLIANT',
    'Environment prod of acme is NON-COMPLIANT',
  ],
  [
    'a green environment',
    makeEnvironmentNotice('COMPLIANT_ENV'),
    'Environment prod of acme is COMPLIANT',
    'Environment prod of acme is COMPLIANT: all running artifacts are compliant (snapshot 12)',
  ],
  [
    'one key, first',
    makeKeysNotice([makeKey()]),
    'API key of service account deployer in acme expires in 14 days on 2026-11-29',
    "API key 'for the pipeline' of service account deployer in acme expires in 14 days on 2026-11-29; rotate it before then",
  ],
  [
    'one personal key without description, last',
    makeKeysNotice([
      makeKey({ is_personal: true, owner: 'mara', description: '', notice: 'last', expires_at: NOW + DAY }),
    ]),
    'Last reminder: API key of user mara in acme expires in 1 day on 2026-11-16',
    'Last reminder: API key of user mara in acme expires in 1 day on 2026-11-16; rotate it before then',
  ],
  [
    'several keys',
    makeKeysNotice([makeKey(), makeKey({ owner: 'other', expires_at: NOW + 3 * DAY })]),
    '2 API keys of acme will expire soon',
    "2 API keys of acme will expire soon; the first of them, API key 'for the pipeline' of service account other, expires in 3 days on 2026-11-18",
  ],
  [
    'several keys, one of them last',
    makeKeysNotice([makeKey({ notice: 'last', expires_at: NOW + 3 * DAY }), makeKey()]),
    'Last reminder: 2 API keys of acme will expire soon',
    "Last reminder: 2 API keys of acme will expire soon; the first of them, API key 'for the pipeline' of service account deployer, expires in 3 days on 2026-11-18",
  ],
  [
    'no key',
    makeKeysNotice([]),
    '0 API keys of acme will expire soon',
    '0 API keys of acme will expire soon',
  ],
  [
    'a test',
    TEST,
    'Test notification from acme',
    "This is a test of notification 3 'Red production' of acme, sent by mara; no action is needed",
  ],
  [
    'a test of notifications that the service raises',
    { ...TEST, notification: null },
    'Test notification from acme',
    'This is a test of the built-in notices of acme, sent by mara; no action is needed',
  ],
  [
    'a target that is switched off',
    SWITCHED_OFF,
    'Notifications of acme to https://hooks.example are switched off',
    "Notification 3 'Red production' of acme is no longer sent to https://hooks.example: every delivery has failed since 2026-11-10 08:40 UTC; latest error: The receiver answered 500",
  ],
  [
    'a fork of the log',
    FORK,
    'Alarm: a witness has seen another log of acme',
    'Witness auditor has seen another version of the log waybill.example/log/0196f1c2/1 of acme: The witness has cosigned 943 leaves of this log, which now has only 940',
  ],
  [
    'a fork of the log that several witnesses have seen',
    { ...FORK, witnesses: ['auditor', 'bank'].map(name => ({ name, message: 'Another root' })) },
    'Alarm: a witness has seen another log of acme',
    'Witnesses auditor, bank have seen another version of the log waybill.example/log/0196f1c2/1 of acme: Another root',
  ],
  [
    'a SCIM token whose owner has left',
    TOKENS_STOPPED,
    'SCIM provisioning of acme needs an admin: 1 token stopped working',
    'The SCIM token of acme stopped working, because mara, who answered for it, has left',
  ],
  [
    'two SCIM tokens whose owner was demoted',
    { ...TOKENS_STOPPED, has_left: false, tokens: Array(2).fill(TOKENS_STOPPED.tokens[0]) },
    'SCIM provisioning of acme needs an admin: 2 tokens stopped working',
    '2 SCIM tokens of acme stopped working, because mara, who answered for them, is no longer an admin',
  ],
  [
    'a target of what the service raises by itself',
    { ...SWITCHED_OFF, notification: null, error: '' },
    'Notifications of acme to https://hooks.example are switched off',
    'Built-in notices of acme are no longer sent to https://hooks.example: every delivery has failed since 2026-11-10 08:40 UTC',
  ],
]

describe('a notice in words', () => {
  it.each(CASES)('%s', (_what, notice, head, sentence) => {
    expect(formatHeadline(notice)).toBe(head)
    expect(describeNotice(notice)).toBe(sentence)
  })

  it.each(Object.entries(HOSTILE))('is one short line with %s in every place', (_what, text) => {
    for (const notice of makeHostileNotices(text)) {
      for (const line of [formatHeadline(notice), describeNotice(notice), formatFootnote(notice)]) {
        expect(line).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u2029\u202e\u2066\u200b\ufeff]/u)
        expect(line.length).toBeLessThan(700)
      }
    }
  })

  it('is one short line whatever is in it', () => {
    fc.assert(
      fc.property(anyNotice, notice => {
        for (const line of [formatHeadline(notice), describeNotice(notice), formatFootnote(notice)]) {
          expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/u)
          expect(line.length).toBeLessThan(700)
        }
      }),
    )
  })
})

describe('the details', () => {
  it('give a reason without the name above it', () => {
    expect(describeReason(REASON)).toMatch(/^Has no 'unit-tests' attestation of type 'junit' in trail/)
    expect(describeReason({ ...REASON, artifact_name: 'other' })).toBe(REASON.description)
    expect(describeReason({ ...REASON, description: '' })).toBe('')
  })

  it.each([
    [makeArtifact(), 1],
    [makeArtifact(GREEN), 0],
    [makeArtifact({ compliant: true }), 0],
    [makeArtifact({ compliant: null }), 0],
    [makeArtifact({ change: 'exited' }), 0],
  ])('give reasons only for running non-compliant artifacts', (given, count) =>
    expect(listReasons(given)).toHaveLength(count),
  )

  it.each([
    [makeArtifact(), 'NON-COMPLIANT'],
    [makeArtifact({ change: 'exited' }), 'exited'],
    [makeArtifact({ change: 'changed', compliant: null }), 'UNKNOWN (no policy applies)'],
    [
      makeArtifact({ change: 'started-compliant', ...GREEN, instances: { was: 0, now: 1 } }),
      'started, COMPLIANT',
    ],
    [
      makeArtifact({ change: 'started-compliant', ...GREEN, instances: { was: 0, now: 4 } }),
      'started with 4 instances, COMPLIANT',
    ],
    [
      makeArtifact({ change: 'scaled', instances: { was: 1, now: 3 } }),
      'scaled from 1 to 3 instances, NON-COMPLIANT',
    ],
    [makeArtifact({ change: 'updated-provenance', ...GREEN }), 'gained provenance, COMPLIANT'],
    [makeArtifact({ change: 'allow-listed', ...GREEN }), 'allow-listed, COMPLIANT'],
    [makeArtifact({ change: 'became-non-compliant' }), 'NON-COMPLIANT'],
  ])('say the status of an artifact %#', (given, expected) => expect(describeArtifact(given)).toBe(expected))

  it.each([
    [NOW - 1, 'expired on 2026-11-15'],
    [NOW + 60, 'expires today, 2026-11-15'],
    // By the calendar: twenty hours later is the next day.
    [NOW + 20 * 3_600, 'expires in 1 day on 2026-11-16'],
    [NOW + 3 * DAY, 'expires in 3 days on 2026-11-18'],
  ])('say when a key expires (%i)', (expires_at, expected) =>
    expect(describeExpiry(makeKey({ expires_at }), NOW)).toBe(expected),
  )

  it('name the notification and the actor', () => {
    expect(formatFootnote(makeEnvironmentNotice('COMPLIANT_ENV'))).toBe(
      'Notification 3 “Red production” of acme · by ci-robot · 2026-11-15 08:40 UTC',
    )
    expect(formatFootnote(makeKeysNotice([makeKey()]))).toBe('Notice of acme · 2026-11-15 08:40 UTC')
    expect(formatFootnote({ ...TEST, notification: null })).toBe(
      'Notice of acme · by mara · 2026-11-15 08:40 UTC',
    )
  })

  it.each([
    [3, 3, null],
    [4, 3, 'and 1 more key'],
    [9, 3, 'and 6 more keys'],
  ])('count omitted entries (%i, %i)', (total, shown, expected) =>
    expect(describeRest(total, shown, 'key')).toBe(expected),
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
  ])('is one line of visible characters: %j', (text, line) => expect(toOneLine(text)).toBe(line))

  it('is cut without splitting a character', () => {
    expect(cut('abcdef', 6)).toBe('abcdef')
    expect(cut('abcdefg', 6)).toBe('abcde…')
    expect(cut('abcd😀efg', 6)).toBe('abcd…')
    expect(formatName('x'.repeat(5_000))).toHaveLength(120)
  })
})
