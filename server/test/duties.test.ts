// Separation of duties as an organization configures it: who may override, approve and allow, and whose work.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { findLogProblems } from '../src/log/check.ts'
import { type Client, ORG, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'
import { makeProvider, type Provider } from './scim.ts'

const FLOW = 'first'
const FINGERPRINT = 'a'.repeat(64)

let app: TestApp
let directory: Provider
let trail: string
let trails = 0
beforeAll(async () => {
  app = await startTestApp()
  directory = await makeProvider(app, app.admin, ORG)
  await app.admin.put(`/flows/${ORG}`, { name: FLOW, description: '' })
  await app.admin.put(`/environments/${ORG}`, { name: 'production', type: 'docker' })
  await app.admin.post(`/artifacts/${ORG}/${FLOW}`, {
    fingerprint: FINGERPRINT,
    filename: 'app',
    git_commit: 'b'.repeat(40),
    build_url: 'https://ci.example/1',
    commit_url: 'https://git.example/1',
  })
})
afterAll(() => app.stop())
beforeEach(async () => {
  trail = `trail-${trails++}`
  await app.admin.put(`/trails/${ORG}/${FLOW}`, { name: trail })
  const two_person_decisions: string[] = []
  await saveSettings({
    decision_role: 'member',
    decision_groups: [],
    separate_duties: false,
    two_person_decisions,
  })
})

const saveSettings = (wanted: Record<string, unknown>) =>
  app.admin.patch(`/organizations/${ORG}`, { settings: wanted })
const attest = (client: Client, is_compliant = false) =>
  client.post(`/attestations/${ORG}/${FLOW}/trail/${trail}/generic`, {
    attestation_name: 'scan',
    is_compliant,
  })
const override = (client: Client, original_attestation_type = 'generic') =>
  client.post(`/attestations/${ORG}/${FLOW}/trail/${trail}/override`, {
    attestation_name: 'scan',
    reason: 'A false alarm',
    new_compliance_status: true,
    original_attestation_type,
  })
const listOverrides = async () =>
  (
    await app.sql(
      `select 1 from attestations a join trails t on t.trail_id = a.trail_id
       where t.name = $1 and a.attestation_type = 'override'`,
      [trail],
    )
  ).length
const approve = (client: Client) =>
  client.post(`/approvals/${ORG}/${FLOW}`, {
    artifact_fingerprint: FINGERPRINT,
    description: 'x',
    src_commit_list: [],
    approvals: [{ state: 'APPROVED', comment: '', approved_by: 'External', approval_url: '' }],
  })
const allow = (client: Client) =>
  client.put(`/allowlists/${ORG}/production`, {
    artifact_fingerprint: 'c'.repeat(64),
    artifact_name: `app-${trail}`,
    description: 'x',
  })
const DECISIONS = { override, approve, allow }

describe.each(Object.entries(DECISIONS))('to %s', (name, decide) => {
  it('requires the role that the organization sets, and names it', async () => {
    await attest(app.admin)
    expect((await decide(app.member)).status).toBeLessThan(300)
    await saveSettings({ decision_role: 'admin' })
    const refused = await decide(app.member)
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringMatching(/needs the role 'admin' in this organization$/),
    ])
    expect((await decide(app.admin)).status).toBeLessThan(300)
  })

  it('requires a member of the groups that the organization names', async () => {
    await attest(app.admin)
    const login = `in-group-${name}`
    const insider = await addPerson(app, login, 'member')
    const user = await directory.user(`${login}@example.com`)
    await directory.group(`crew-${name}-members`, [user])
    await directory.group(`release-managers-${name}`, [user])
    await saveSettings({ decision_groups: [`Release-Managers-${name}`] })
    for (const outsider of [app.member, app.admin]) {
      const refused = await decide(outsider)
      expect([refused.status, refused.body.message]).toEqual([
        403,
        expect.stringContaining('and you are in none of them'),
      ])
    }
    expect((await decide(insider)).status).toBeLessThan(300)
  })
})

describe('with separate duties', () => {
  beforeEach(() => saveSettings({ separate_duties: true }))

  it('nobody overrides their own attestation, and nothing is stored', async () => {
    await attest(app.member)
    const refused = await override(app.member)
    expect([refused.status, refused.body.message]).toEqual([
      403,
      "Attestation 'scan' was reported by you. This organization requires another person to override it",
    ])
    expect(await listOverrides()).toBe(0)
    expect((await override(app.admin)).status).toBe(200)
    expect(await listOverrides()).toBe(1)
  })

  it('nobody overrides an attestation of their service account', async () => {
    const accounts = `/service-accounts/${ORG}`
    await app.member.post(accounts, { name: 'scanner', privilege: 'member' })
    const { body } = await app.member.post(`${accounts}/scanner/api-keys`, { description: 'x' })
    await attest(app.makeClientWith(body.key))
    const refused = await override(app.member)
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining("your service account 'scanner'"),
    ])
    expect((await override(app.makeClientWith(body.key))).status).toBe(403)
    expect((await override(app.admin)).status).toBe(200)
  })

  it('nobody overrides an override of their own work', async () => {
    await attest(app.member)
    expect((await override(app.admin)).status).toBe(200)
    expect((await override(app.member)).status).toBe(403)
  })

  it('a person overrides an attestation that someone else made last', async () => {
    await attest(app.member)
    await attest(app.admin)
    expect((await override(app.member)).status).toBe(200)
  })

  it('a reporter never wins a race to override their own attestation', async () => {
    await attest(app.admin)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? attest(app.member) : override(app.member))),
    )
    for (const { status } of answers) expect([200, 201, 403]).toContain(status)
    const own = await app.sql(
      `select 1 from attestations o join attestations w on w.attestation_id = o.overridden_attestation_id
       join trails t on t.trail_id = o.trail_id
       where t.name = $1 and o.attestation_type = 'override' and o.reported_by = 'max' and w.reported_by = 'max'
         and w.attestation_type <> 'override'`,
      [trail],
    )
    expect(own).toEqual([])
  })
})

describe('with two-person decisions', () => {
  const listDecisions = async () => (await app.reader.get(`/decisions/${ORG}`)).body
  beforeEach(() => saveSettings({ two_person_decisions: ['override', 'allow'] }))
  afterAll(() => saveSettings({ two_person_decisions: [] }))

  it('an override counts when another person sends the same', async () => {
    await attest(app.admin)
    const asked = await override(app.member)
    expect(asked.status).toBe(202)
    expect(asked.body).toMatchObject({
      kind: 'override',
      asked_by: 'max',
      reason: 'A false alarm',
      subject: {
        flow_name: FLOW,
        trail_name: trail,
        attestation_name: 'scan',
        original_attestation_type: 'generic',
        new_compliance_status: true,
      },
    })
    expect((await override(app.member)).body.id).toBe(asked.body.id)
    expect(await listOverrides()).toBe(0)
    expect(await listDecisions()).toEqual([asked.body])
    expect((await override(app.admin, 'junit')).status).toBe(202)
    expect(await listOverrides()).toBe(0)
    expect((await override(app.admin)).status).toBe(200)
    expect(await listOverrides()).toBe(1)
    expect((await listDecisions()).map(({ asked_by }: { asked_by: string }) => asked_by)).toEqual(['ada'])
    expect((await app.readEvents('decision_confirmed')).at(-1)).toMatchObject({
      actor: 'ada',
      data: { decision_id: asked.body.id, asked_by: 'max' },
    })
  })

  it('an entry in an allow-list counts when another person sends the same', async () => {
    expect((await allow(app.member)).status).toBe(202)
    expect((await allow(app.member)).status).toBe(202)
    const longer = { artifact_fingerprint: 'c'.repeat(64), artifact_name: `app-${trail}`, description: 'x' }
    const expires_at = Math.floor(app.clock.now().getTime() / 1000) + 3600
    const other = await app.admin.put(`/allowlists/${ORG}/production`, { ...longer, expires_at })
    expect(other.status).toBe(202)
    const renamed = await app.admin.put(`/allowlists/${ORG}/production`, {
      ...longer,
      artifact_name: 'other',
    })
    expect(renamed.status).toBe(202)
    expect((await allow(app.admin)).status).toBeLessThan(202)
  })

  it('a service account neither requests nor confirms', async () => {
    await attest(app.admin)
    const accounts = `/service-accounts/${ORG}`
    await app.admin.post(accounts, { name: 'decider', privilege: 'admin' })
    const { body } = await app.admin.post(`${accounts}/decider/api-keys`, { description: 'x' })
    const robot = app.makeClientWith(body.key)
    expect((await override(robot)).status).toBe(403)
    await override(app.member)
    expect((await override(robot)).status).toBe(403)
    expect(await listOverrides()).toBe(0)
  })

  it('with separate duties, the author of the attestation neither requests nor confirms', async () => {
    await saveSettings({ separate_duties: true })
    await attest(app.member)
    expect((await override(app.member)).status).toBe(403)
    expect((await override(app.admin)).status).toBe(202)
    expect((await override(app.member)).status).toBe(403)
    expect(await listOverrides()).toBe(0)
  })

  it('a decision is withdrawn, or expires after seven days', async () => {
    await attest(app.admin)
    const { body } = await override(app.member)
    expect((await app.admin.delete(`/decisions/${ORG}/${body.id}`)).status).toBe(200)
    expect((await app.admin.delete(`/decisions/${ORG}/${body.id}`)).status).toBe(404)
    expect((await override(app.admin)).status).toBe(202)
    app.clock.advance(7 * 86_400_000)
    expect((await override(app.member)).status).toBe(202)
    expect(await listOverrides()).toBe(0)
  })

  it('one request confirms one decision, even when many arrive at the same time', async () => {
    await attest(app.admin)
    await override(app.member)
    const people = await Promise.all(
      ['eve', 'kay', 'lou'].map(name => addPerson(app, `${name}-${trail}`, 'member')),
    )
    const answers = await Promise.all(people.map(person => override(person)))
    const counted = answers.filter(({ status }) => status === 200).length
    expect(counted).toBeGreaterThan(0)
    expect(await listOverrides()).toBe(counted)
    const confirmed = await app.sql(
      "select 1 from decisions where outcome = 'confirmed' and subject ->> 'trail_name' = $1",
      [trail],
    )
    expect(confirmed).toHaveLength(counted)
  })

  it('no decision is requested on a trail that does not exist', async () => {
    trail = 'no-such-trail'
    expect((await override(app.member)).status).toBe(404)
  })
})

it('every decision of these tests is in the log as it is stored', async () => {
  await saveSettings({ two_person_decisions: ['override'] })
  await override(app.member)
  await attest(app.admin)
  expect((await override(app.admin)).body.lapsed_request).not.toBeNull()
  expect((await override(app.member)).status).toBe(200)
  expect(await findLogProblems(makeOwnerDb(app.owner))).toEqual([])
})

it('nothing is required unless the organization asks for it', async () => {
  await attest(app.member)
  expect((await override(app.member)).status).toBe(200)
})
