// The body of a webhook: its shape, its size, and what is left out.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { description } from './describe.ts'
import {
  anyNotice,
  artifact,
  BASE_URL,
  DAY,
  environmentNotice,
  FINGERPRINT,
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
import type { EnvironmentEvent, Notice } from './notice.ts'
import { MOST_BODY_BYTES, webhookBody } from './webhook.ts'

const bodyOf = (notice: Notice) => JSON.parse(webhookBody(notice, BASE_URL))
const SNAPSHOT = {
  index: '12',
  status: 'non-compliant',
  html_url: `${BASE_URL}/acme/environments/prod/snapshots/12`,
  api_url: `${BASE_URL}/api/v2/snapshots/acme/prod/12`,
}
const TOLD_REASON = { ...REASON, policy_version: '3' }

/** What is neither text nor null nor made of those, by its path. */
function otherScalars(value: unknown, path = '$'): string[] {
  if (value === null || typeof value === 'string') return []
  if (typeof value !== 'object') return [path]
  return Object.entries(value).flatMap(([name, item]) => otherScalars(item, `${path}.${name}`))
}

describe('about an artifact', () => {
  it('says where it runs, where it comes from, and why it is red', () => {
    const notice = environmentNotice('STARTED_ARTIFACT', {
      artifacts: [artifact({ change: 'started-non-compliant' })],
    })
    expect(bodyOf(notice)).toEqual({
      version: '1.0',
      timestamp: String(NOW),
      org: 'acme',
      environment: 'prod',
      event_type: 'STARTED_ARTIFACT',
      description: description(notice),
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
      reasons: [TOLD_REASON],
    })
  })

  it('begins with the documented keys in their order', () => {
    const keys = Object.keys(bodyOf(environmentNotice('STARTED_ARTIFACT')))
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
    expect(bodyOf(environmentNotice(event_type))).toMatchObject({ event_type, artifact: { name: 'web:1.4' } })
  })

  it('says nothing of a provenance, a fingerprint or an artifact that is not there', () => {
    const told = (given: Parameters<typeof artifact>[0]) =>
      bodyOf(environmentNotice('STARTED_ARTIFACT', { artifacts: [artifact(given)] })).artifact
    expect(told({ provenance: null })).toEqual({
      name: 'web:1.4',
      fingerprint: FINGERPRINT,
      provenance: null,
    })
    expect(told({ fingerprint: '' })).toMatchObject({
      fingerprint: '',
      provenance: { html_url: null, api_url: null },
    })
    expect(bodyOf(environmentNotice('STARTED_ARTIFACT', { artifacts: [] })).artifact).toBeNull()
  })

  it('has no reasons when it is green, unknown or gone', () => {
    for (const given of [GREEN, { compliant: null }, { change: 'exited' }]) {
      const artifacts = [artifact(given)]
      expect(bodyOf(environmentNotice('EXITED_ARTIFACT', { artifacts }))).toMatchObject({ reasons: [] })
    }
  })

  it('encodes every part of an address', () => {
    const body = bodyOf(
      environmentNotice('STARTED_ARTIFACT', {
        org: 'a/b',
        environment: '../x?y#z',
        artifacts: [artifact({ fingerprint: 'é\ud800/..' })],
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
    const body = bodyOf(environmentNotice('COMPLIANT_ENV', { snapshot: { index: 3, compliant } }))
    expect(body).toMatchObject({ snapshot: { index: '3', status }, artifact: null, reasons: [] })
  })

  it('has no snapshot before the first', () => {
    expect(bodyOf(environmentNotice('NON_COMPLIANT_ENV', { snapshot: null })).snapshot).toBeNull()
  })

  it('gives the reasons of what does not comply and no artifact', () => {
    const artifacts = [artifact(), artifact({ name: 'api:2' })]
    const body = bodyOf(environmentNotice('NON_COMPLIANT_ENV', { artifacts }))
    expect(body).toMatchObject({ artifact: null, reasons: [TOLD_REASON, TOLD_REASON] })
    expect(body).not.toHaveProperty('reasons_total')
    expect(body).not.toHaveProperty('artifacts_total')
    expect(body).not.toHaveProperty('truncated')
  })

  it('gives three reasons of each of ten artifacts, and counts them all', () => {
    const short = { ...REASON, description: 'x', expected: '', remedy: '', found: '' }
    const artifacts = Array.from({ length: 12 }, () => artifact({ reasons: Array(5).fill(short) }))
    const body = bodyOf(environmentNotice('NON_COMPLIANT_ENV', { artifacts, artifacts_total: 99 }))
    expect(body.reasons).toHaveLength(30)
    expect(body).toMatchObject({ reasons_total: '50', artifacts_total: '99' })
    expect(body).not.toHaveProperty('truncated')
  })
})

describe('about everything else', () => {
  it('lists the keys that end', () => {
    const notice = keysNotice([
      key(),
      key({
        is_personal: true,
        owner: 'mara',
        last_used_at: null,
        expires_at: NOW + 3 * DAY + 0.5,
        notice: 'last',
      }),
    ])
    expect(bodyOf(notice)).toEqual({
      version: '1.0',
      timestamp: String(NOW),
      org: 'acme',
      environment: null,
      event_type: 'API_KEY_EXPIRY',
      description: description(notice),
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
    ['a target that is switched off', SWITCHED_OFF, { event_type: 'TARGET_SWITCHED_OFF', actor: null }],
  ])('names nothing that did not happen: %s', (_what, notice, told) => {
    const nothing = { environment: null, snapshot: null, artifact: null, reasons: [] }
    expect(bodyOf(notice)).toMatchObject({ ...nothing, ...told })
  })
})

describe('the size', () => {
  it('is kept by leaving reasons out from the end', () => {
    const reasons = [1, 2, 3].map(i => ({ ...REASON, description: `${i}${'x'.repeat(900)}` }))
    const artifacts = Array.from({ length: 10 }, () => artifact({ reasons }))
    const body = bodyOf(environmentNotice('NON_COMPLIANT_ENV', { artifacts }))
    expect(body).toMatchObject({ truncated: 'true', reasons_total: '30' })
    expect(body.reasons.length).toBeGreaterThan(10)
    expect(body.reasons[0].description).toBe(reasons[0]?.description)
    expect(body.reasons[1].description).toBe(reasons[1]?.description)
  })

  it('is kept by cutting texts, before the only reason is given up', () => {
    const artifacts = [
      artifact({ name: 'n'.repeat(9_000), reasons: [{ ...REASON, found: '\u0001'.repeat(9_000) }] }),
    ]
    const body = bodyOf(environmentNotice('STARTED_ARTIFACT', { artifacts }))
    expect(body).toMatchObject({ truncated: 'true', org: 'acme', snapshot: SNAPSHOT })
    expect(body.artifact.name).toMatch(/^n{900,}…$/)
    expect(body.artifact.fingerprint).toBe(FINGERPRINT)
    expect(body.reasons).toHaveLength(1)
    expect(body.reasons[0].remedy).toBe(REASON.remedy)
  })

  it('leaves an address out rather than half of it', () => {
    const provenance = { ...artifact().provenance, commit_url: `https://git.example/${'x'.repeat(30_000)}` }
    const artifacts = [artifact({ provenance: provenance as never })]
    const body = bodyOf(environmentNotice('STARTED_ARTIFACT', { artifacts }))
    expect(body.truncated).toBe('true')
    expect(body.artifact.provenance).toMatchObject({
      commit_url: null,
      build_url: 'https://ci.example/acme/web/7',
      html_url: `${BASE_URL}/acme/flows/web/artifacts/${FINGERPRINT}`,
    })
  })

  it('is kept with any number of keys', () => {
    const keys = Array.from({ length: 5_000 }, (_, i) => key({ owner: `robot-${i}` }))
    const body = bodyOf(keysNotice(keys))
    expect(body).toMatchObject({ truncated: 'true', keys_total: '5000' })
    expect(body.keys.length).toBeGreaterThan(50)
    expect(body.keys[0].owner).toBe('robot-0')
  })

  it.each(Object.entries(HOSTILE))('and the shape are kept with %s in every place', (_what, text) => {
    for (const notice of hostileNotices(text)) {
      const body = webhookBody(notice, BASE_URL)
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MOST_BODY_BYTES)
      expect(body).not.toMatch(/\\ud[89a-f]/i)
      expect(otherScalars(JSON.parse(body))).toEqual([])
    }
  })

  it('and the shape are kept whatever is told', () => {
    fc.assert(
      fc.property(anyNotice, notice => {
        const body = webhookBody(notice, BASE_URL)
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MOST_BODY_BYTES)
        const read = JSON.parse(body)
        expect(otherScalars(read)).toEqual([])
        expect(read).toMatchObject({ version: '1.0', event_type: notice.event_type })
      }),
      { numRuns: 300 },
    )
  })
})
