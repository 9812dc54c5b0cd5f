// The demo: the whole story is taken by the front door, and its end can be explained in a minute.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG } from '../src/demo/company.ts'
import { fillDemo } from '../src/demo/fill.ts'
import { tellStory } from '../src/demo/story.ts'
import { makeLog } from '../src/lib/log.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { BASE_URL, type TestApp, testApp, testConfig } from './harness.ts'

const END = Date.UTC(2026, 2, 3, 12) / 1000

describe('the story', () => {
  it('is the same every time, in order, and ends when it is told to', () => {
    const calls = tellStory(END, 7)
    expect(calls).toEqual(tellStory(END, 7))
    expect(calls).not.toEqual(tellStory(END, 8))
    expect(calls.map(({ at }) => at)).toEqual(calls.map(({ at }) => at).toSorted((a, b) => a - b))
    expect(calls.at(-1)?.at).toBeLessThanOrEqual(END)
    expect(calls.length).toBeGreaterThan(1000)
  })
})

describe('the demo', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp()
    await fillDemo({
      config: testConfig({}),
      db: app.db,
      evidence: app.evidence,
      jq: app.jq,
      clock: app.clock,
      log: makeLog('silent'),
      version: '0.0.0-test',
      base_url: BASE_URL,
      job_kinds: {},
      secret_key: 'the secret key of the tests',
      owner: app.owner,
      secrets: systemSecrets,
      admin_name: 'ada',
      onProgress: () => undefined,
    })
  }, 120_000)
  afterAll(() => app.stop())

  it('ends with production red, for one artifact and one missing scan, since this morning', async () => {
    const { body } = await app.admin.get(`/environments/${DEMO_ORG}`)
    const states = Object.fromEntries(
      body.map(({ name, state }: { name: string; state: boolean }) => [name, state]),
    )
    expect(states).toMatchObject({ production: false, staging: true, edge: true, 'all-live': false })
    const compliance = (await app.admin.get(`/environments/${DEMO_ORG}/production/compliance`)).body
    expect(compliance.non_compliant).toHaveLength(1)
    const snapshot = (await app.admin.get(`/snapshots/${DEMO_ORG}/production/-1`)).body
    const red = snapshot.artifacts.filter(({ compliant }: { compliant: boolean }) => !compliant)
    expect(red).toHaveLength(1)
    expect(red[0].name).toMatch(/payments-api/)
    expect(red[0].reasons_for_incompliance).toMatchObject([{ attestation_name: 'vulnerability-scan' }])
  })

  it('has a history that can be looked at: snapshots, deployments, decisions, both bad days', async () => {
    const snapshots = (await app.admin.get(`/snapshots/${DEMO_ORG}/production?per_page=50`)).body
    expect(JSON.stringify(snapshots)).toContain('"index":')
    const decisions = (await app.admin.get(`/controls/${DEMO_ORG}/REL-01/decisions`)).body
    expect(decisions.decisions.length).toBeGreaterThan(0)
    const versions = (await app.admin.get(`/policies/${DEMO_ORG}/live-rules`)).body
    expect(versions.versions).toHaveLength(2)
    const turned = await app.sql(
      `select count(*)::int as red from snapshots s join environments e using (org_id, environment_id)
       where e.name = 'production' and s.compliant = false`,
    )
    expect(turned[0]?.red).toBeGreaterThan(1)
  })
})
