// The body of a webhook: its shape, its size, and what it omits.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeNotice } from './describe.ts'
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
} from './notice.testing.ts'
import type { EnvironmentEvent, Notice } from './notice.ts'
import { buildWebhookBody, MAX_BODY_BYTES } from './webhook.ts'

const buildBody = (notice: Notice) => JSON.parse(buildWebhookBody(notice, BASE_URL))
const SNAPSHOT = {
  index: '12',
  status: 'non-compliant',
  html_url: `${BASE_URL}/acme/environments/prod/snapshots/12`,
  api_url: `${BASE_URL}/api/v2/snapshots/acme/prod/12`,
}
const REASON_BODY = { ...REASON, policy_version: '3' }

/** Paths of values that are neither text nor null, nor lists or objects of these. */
function listOtherScalars(value: unknown, path = '$'): string[] {
  if (value === null || typeof value === 'string') return []
  if (typeof value !== 'object') return [path]
  return Object.entries(value).flatMap(([name, item]) => listOtherScalars(item, `${path}.${name}`))
}

describe('about an artifact', () => {
  it('says where it is running, its provenance, and why it is not compliant', () => {
    const notice = makeEnvironmentNotice('STARTED_ARTIFACT', {
      artifacts: [makeArtifact({ change: 'started-non-compliant' })],
    })
    expect(buildBody(notice)).toEqual({
      version: '1.0',
      timestamp: String(NOW),
      org: 'acme',
      environment: 'prod',
      event_type: 'STARTED_ARTIFACT',
      description: describeNotice(notice),
      snapshot: SNAPSHOT,
      artifact: {
        name: 'web:1.4',
        fingerprint: FINGERPRINT,
        provenance: {
          flow: 'web',
          status: 'incomplete',
          commit: 'c0ffee'.padEnd(40, '0'),
          commit_url: 'https://git.example/acme/web/commit/c0ffee',
          html_url: `${BASE_URL}/acme/flows/web/artifacts/${FINGERPRINT}`,
          api_url: `${BASE_URL}/api/v2/artifacts/acme/web/fingerprint/${FINGERPRINT}`,
          build_url: 'https://ci.example/acme/web/7',
        },
      },
      notification: { number: '3', name: 'Red production' },
      actor: 'ci-robot',
      reasons: [REASON_BODY],
    })
  })

  it('begins with the documented keys in their order', () => {
    const keys = Object.keys(buildBody(makeEnvironmentNotice('STARTED_ARTIFACT')))
    expect(keys.slice(0, 8)).toEqual([
      'version',
      'timestamp',
      'org',
      'environment',
      'event_type',
      'description',
      'snapshot',
      'artifact',
    ])
  })

  it.each<[EnvironmentEvent]>([
    ['STARTED_ARTIFACT'],
    ['EXITED_ARTIFACT'],
    ['SCALED_ARTIFACT'],
    ['ALLOWED_ARTIFACT'],
  ])('%s has the artifact', event_type => {
    expect(buildBody(makeEnvironmentNotice(event_type))).toMatchObject({
      event_type,
      artifact: { name: 'web:1.4' },
    })
  })

  it('omits a missing provenance, fingerprint or artifact', () => {
    const buildArtifactBody = (given: Parameters<typeof makeArtifact>[0]) =>
      buildBody(makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts: [makeArtifact(given)] })).artifact
    expect(buildArtifactBody({ provenance: null })).toEqual({
      name: 'web:1.4',
      fingerprint: FINGERPRINT,
      provenance: null,
    })
    expect(buildArtifactBody({ fingerprint: '' })).toMatchObject({
      fingerprint: '',
      provenance: { html_url: null, api_url: null },
    })
    expect(buildBody(makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts: [] })).artifact).toBeNull()
  })

  it('has no reasons if it is compliant, unknown or exited', () => {
    for (const given of [GREEN, { compliant: null }, { change: 'exited' }]) {
      const artifacts = [makeArtifact(given)]
      expect(buildBody(makeEnvironmentNotice('EXITED_ARTIFACT', { artifacts }))).toMatchObject({
        reasons: [],
      })
    }
  })

  it('encodes every part of an address', () => {
    const body = buildBody(
      makeEnvironmentNotice('STARTED_ARTIFACT', {
        org: 'a/b',
        environment: '../x?y#z',
        artifacts: [makeArtifact({ fingerprint: 'é\ud800/..' })],
      }),
    )
    expect(body.snapshot.html_url).toBe(`${BASE_URL}/a%2Fb/environments/..%2Fx%3Fy%23z/snapshots/12`)
    expect(body.artifact.provenance.html_url).toBe(
      `${BASE_URL}/a%2Fb/flows/web/artifacts/%C3%A9%EF%BF%BD%2F..`,
    )
  })
})

describe('about an environment', () => {
  it.each<[boolean | null, string]>([
    [true, 'compliant'],
    [false, 'non-compliant'],
    [null, 'unknown'],
  ])('calls the state %s %s', (compliant, status) => {
    const body = buildBody(makeEnvironmentNotice('COMPLIANT_ENV', { snapshot: { index: 3, compliant } }))
    expect(body).toMatchObject({ snapshot: { index: '3', status }, artifact: null, reasons: [] })
  })

  it('has no snapshot before the first', () => {
    expect(buildBody(makeEnvironmentNotice('NON_COMPLIANT_ENV', { snapshot: null })).snapshot).toBeNull()
  })

  it('gives the reasons of non-compliant artifacts and no artifact', () => {
    const artifacts = [makeArtifact(), makeArtifact({ name: 'api:2' })]
    const body = buildBody(makeEnvironmentNotice('NON_COMPLIANT_ENV', { artifacts }))
    expect(body).toMatchObject({ artifact: null, reasons: [REASON_BODY, REASON_BODY] })
    expect(body).not.toHaveProperty('reasons_total')
    expect(body).not.toHaveProperty('artifacts_total')
    expect(body).not.toHaveProperty('truncated')
  })

  it('gives three reasons of each of ten artifacts, and counts them all', () => {
    const short = { ...REASON, description: 'x', expected: '', remedy: '', found: '' }
    const artifacts = Array.from({ length: 12 }, () => makeArtifact({ reasons: Array(5).fill(short) }))
    const body = buildBody(makeEnvironmentNotice('NON_COMPLIANT_ENV', { artifacts, artifacts_total: 99 }))
    expect(body.reasons).toHaveLength(30)
    expect(body).toMatchObject({ reasons_total: '50', artifacts_total: '99' })
    expect(body).not.toHaveProperty('truncated')
  })
})

describe('about everything else', () => {
  it('lists the keys that expire', () => {
    const notice = makeKeysNotice([
      makeKey(),
      makeKey({
        is_personal: true,
        owner: 'mara',
        last_used_at: null,
        expires_at: NOW + 3 * DAY + 0.5,
        notice: 'last',
      }),
    ])
    expect(buildBody(notice)).toEqual({
      version: '1.0',
      timestamp: String(NOW),
      org: 'acme',
      environment: null,
      event_type: 'API_KEY_EXPIRY',
      description: describeNotice(notice),
      snapshot: null,
      artifact: null,
      notification: null,
      actor: null,
      reasons: [],
      keys: [
        {
          owner: 'deployer',
          kind: 'service_account',
          description: 'for the pipeline',
          hint: 'wb_svc_AbCdEfGhIjKl',
          expires_at: String(NOW + 14 * DAY),
          last_used_at: String(NOW - 2 * DAY),
          notice: 'first',
        },
        expect.objectContaining({
          owner: 'mara',
          kind: 'user',
          expires_at: String(NOW + 3 * DAY),
          last_used_at: null,
          notice: 'last',
        }),
      ],
    })
  })

  it.each<[string, Notice, object]>([
    [
      'a test',
      TEST,
      { event_type: 'TEST', actor: 'mara', notification: { number: '3', name: 'Red production' } },
    ],
    ['a test of no notification', { ...TEST, notification: null }, { actor: 'mara', notification: null }],
    ['a fork of the log', FORK, { event_type: 'LOG_FORK', actor: null, notification: null }],
    ['a stopped SCIM token', TOKENS_STOPPED, { event_type: 'SCIM_TOKEN_STOPPED', actor: null }],
    ['a target that is switched off', SWITCHED_OFF, { event_type: 'TARGET_SWITCHED_OFF', actor: null }],
  ])('has no fields of other events: %s', (_what, notice, expected) => {
    const nothing = { environment: null, snapshot: null, artifact: null, reasons: [] }
    expect(buildBody(notice)).toMatchObject({ ...nothing, ...expected })
  })
})

describe('the size', () => {
  it('is kept by leaving reasons out from the end', () => {
    const reasons = [1, 2, 3].map(i => ({ ...REASON, description: `${i}${'x'.repeat(900)}` }))
    const artifacts = Array.from({ length: 10 }, () => makeArtifact({ reasons }))
    const body = buildBody(makeEnvironmentNotice('NON_COMPLIANT_ENV', { artifacts }))
    expect(body).toMatchObject({ truncated: 'true', reasons_total: '30' })
    expect(body.reasons.length).toBeGreaterThan(10)
    expect(body.reasons[0].description).toBe(reasons[0]?.description)
    expect(body.reasons[1].description).toBe(reasons[1]?.description)
  })

  it('is kept by cutting texts, before the only reason is given up', () => {
    const artifacts = [
      makeArtifact({ name: 'n'.repeat(9_000), reasons: [{ ...REASON, found: '\u0001'.repeat(9_000) }] }),
    ]
    const body = buildBody(makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts }))
    expect(body).toMatchObject({ truncated: 'true', org: 'acme', snapshot: SNAPSHOT })
    expect(body.artifact.name).toMatch(/^n{900,}…$/)
    expect(body.artifact.fingerprint).toBe(FINGERPRINT)
    expect(body.reasons).toHaveLength(1)
    expect(body.reasons[0].remedy).toBe(REASON.remedy)
  })

  it('omits an address rather than truncating it', () => {
    const provenance = {
      ...makeArtifact().provenance,
      commit_url: `https://git.example/${'x'.repeat(30_000)}`,
    }
    const artifacts = [makeArtifact({ provenance: provenance as never })]
    const body = buildBody(makeEnvironmentNotice('STARTED_ARTIFACT', { artifacts }))
    expect(body.truncated).toBe('true')
    expect(body.artifact.provenance).toMatchObject({
      commit_url: null,
      build_url: 'https://ci.example/acme/web/7',
      html_url: `${BASE_URL}/acme/flows/web/artifacts/${FINGERPRINT}`,
    })
  })

  it('is kept with any number of keys', () => {
    const keys = Array.from({ length: 5_000 }, (_, i) => makeKey({ owner: `robot-${i}` }))
    const body = buildBody(makeKeysNotice(keys))
    expect(body).toMatchObject({ truncated: 'true', keys_total: '5000' })
    expect(body.keys.length).toBeGreaterThan(50)
    expect(body.keys[0].owner).toBe('robot-0')
  })

  it.each(Object.entries(HOSTILE))('and the shape are kept with %s in every place', (_what, text) => {
    for (const notice of makeHostileNotices(text)) {
      const body = buildWebhookBody(notice, BASE_URL)
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES)
      expect(body).not.toMatch(/\\ud[89a-f]/i)
      expect(listOtherScalars(JSON.parse(body))).toEqual([])
    }
  })

  it('and the shape are kept whatever the content', () => {
    fc.assert(
      fc.property(anyNotice, notice => {
        const body = buildWebhookBody(notice, BASE_URL)
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES)
        const read = JSON.parse(body)
        expect(listOtherScalars(read)).toEqual([])
        expect(read).toMatchObject({ version: '1.0', event_type: notice.event_type })
      }),
      { numRuns: 300 },
    )
  })
})
