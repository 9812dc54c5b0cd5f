// Two persons are two: a decision is about things and not about names, it lapses if its basis changes, and both persons
// are named. duties.test.ts has the settings and the plain course of a decision, own-work.test.ts whose work is whose.
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FLOW, openScene, type Scene } from './deciding.ts'
import { buildPolicyRequiring, makeEnvironment, putPolicy } from './environments.ts'
import { type Client, ORG, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'
import { makeProvider } from './scim.ts'

let app: TestApp
/** A third person, who is a member. */
let eve: Client
let scene: Scene
beforeAll(async () => {
  app = await startTestApp()
  eve = await addPerson(app, 'eve', 'member')
})
afterAll(() => app.stop())
beforeEach(async () => {
  scene = await openScene(app)
})

describe('a decision is about things, not names', () => {
  beforeEach(() => scene.save({ two_person_decisions: ['override', 'allow'] }))

  const rename = (from: string, to: string) =>
    app.member.put(`/environments/${ORG}/${from}/rename`, { new_name: to })

  it('a renamed environment does not make the second person allow something else', async () => {
    await makeEnvironment(app, `production-${scene.turn}`)
    const first = await scene.allow(app.member)
    await rename(scene.environment, `former-${scene.turn}`)
    await rename(`production-${scene.turn}`, scene.environment)
    const { status, body } = await scene.allow(app.admin)
    expect([status, body.lapsed_request]).toEqual([
      202,
      {
        id: first.body.id,
        asked_by: 'max',
        reason: 'Reviewed',
        lapse_reason: 'The name of the environment belongs to another one than when max asked',
      },
    ])
    expect([...(await scene.readAllowed()), ...(await scene.readAllowed(`former-${scene.turn}`))]).toEqual([])
    expect((await app.reader.get(`/decisions/${ORG}`)).body).toContainEqual(body)
    expect(await scene.readLastEvent('decision_lapsed')).toMatchObject({
      actor: 'ada',
      data: { decision_id: first.body.id, asked_by: 'max', lapse_reason: body.lapsed_request.lapse_reason },
    })
    expect((await scene.allow(app.member)).status).toBe(201)
  })

  it('a new name of the same environment changes nothing', async () => {
    await scene.allow(app.member)
    await rename(scene.environment, `renamed-${scene.turn}`)
    expect((await scene.allow(app.admin, {}, `renamed-${scene.turn}`)).status).toBe(201)
    expect(await scene.readAllowed(`renamed-${scene.turn}`)).toMatchObject([{ created_by: 'ada' }])
  })

  it('an artifact that is named and not identified is the one of the same commit', async () => {
    const named = (letter: string) => ({
      target_artifacts: ['image'],
      git_commit_info: { sha1: letter.repeat(40) },
    })
    await scene.override(app.member, named('1'))
    const other = await scene.override(app.admin, named('2'))
    expect([other.status, other.body.lapsed_request?.lapse_reason]).toEqual([
      202,
      'max asked for another commit',
    ])
    expect((await scene.override(app.member, named('2'))).status).toBe(200)
  })

  it('a request that an earlier version stored must be sent again', async () => {
    await scene.attest(app.admin)
    const { body } = await scene.override(app.member)
    await app.sql('update decisions set subject_ids = null, basis = null where closed_at is null')
    const again = await scene.override(eve)
    expect([again.status, again.body.lapsed_request]).toMatchObject([
      202,
      { id: body.id, lapse_reason: expect.stringContaining('An earlier version') },
    ])
    expect((await scene.override(app.member)).status).toBe(200)
  })
})

describe('a request lapses', () => {
  beforeEach(() => scene.save({ two_person_decisions: ['override', 'allow'] }))

  /** The second person gets a request of their own, with the reason. */
  async function expectLapse(confirm: () => ReturnType<Scene['override']>, reason: string): Promise<void> {
    const { status, body } = await confirm()
    expect([status, body.lapsed_request?.lapse_reason]).toEqual([202, reason])
    expect(body.asked_by).toBe('ada')
    const [closed] = await app.sql(
      'select outcome, lapse_reason, closed_by from decisions where lapse_reason is not null order by decision_id desc limit 1',
    )
    expect(closed).toEqual({ outcome: 'lapsed', lapse_reason: reason, closed_by: 'ada' })
  }

  it('when the evidence is reported again', async () => {
    await scene.attest(eve)
    await scene.override(app.member)
    await scene.attest(eve)
    await expectLapse(() => scene.override(app.admin), "'scan' was reported or overridden since")
    expect(await scene.readScan()).toMatchObject({ attestation_type: 'generic', is_compliant: false })
    expect((await scene.override(app.member)).status).toBe(200)
  })

  it('when somebody else has overridden the evidence', async () => {
    await scene.attest(eve)
    await scene.override(app.member, { new_compliance_status: false })
    await scene.override(app.member)
    expect((await scene.override(app.admin, { new_compliance_status: false })).status).toBe(200)
    await expectLapse(() => scene.override(app.admin), "'scan' was reported or overridden since")
  })

  it('when a first report comes for what had none', async () => {
    await scene.override(app.member)
    await scene.attest(eve)
    await expectLapse(() => scene.override(app.admin), "'scan' was reported or overridden since")
  })

  it('when a policy of the environment changes, comes or goes', async () => {
    const policy = `rules-${scene.turn}`
    await putPolicy(app, policy, buildPolicyRequiring('a'))
    const attach = () =>
      app.member.post(`/environments/${ORG}/${scene.environment}/policies`, { policy_names: [policy] })
    await scene.allow(app.member)
    await attach()
    await expectLapse(
      () => scene.allow(app.admin),
      `Policy '${policy}' was attached to the environment since`,
    )
    await putPolicy(app, policy, buildPolicyRequiring('a', 'b'))
    expect((await scene.allow(app.admin)).body.lapsed_request.lapse_reason).toBe(
      `Policy '${policy}' has changed from version 1 to version 2 since`,
    )
    await app.member.delete(`/environments/${ORG}/${scene.environment}/policies`, { policy_names: [policy] })
    const { status, body } = await scene.allow(app.member)
    expect([status, body.lapsed_request?.lapse_reason]).toEqual([
      202,
      `Policy '${policy}' was detached from the environment since`,
    ])
    expect(await scene.readAllowed()).toEqual([])
    expect((await scene.allow(app.admin)).status).toBe(201)
  })

  it('when the first person leaves, or loses the role', async () => {
    await scene.attest(eve)
    const leaver = await addPerson(app, `leaver-${scene.turn}`, 'member')
    await scene.override(leaver)
    await app.admin.put(`/members/${ORG}/leaver-${scene.turn}`, { role: 'reader' })
    const may_not = `leaver-${scene.turn} may no longer make such decisions in this organization`
    await expectLapse(() => scene.override(app.admin), may_not)

    await app.admin.put(`/members/${ORG}/leaver-${scene.turn}`, { role: 'member' })
    await scene.override(leaver, { original_attestation_type: 'junit' })
    await app.admin.delete(`/members/${ORG}/leaver-${scene.turn}`)
    await expectLapse(
      () => scene.override(app.admin, { original_attestation_type: 'junit' }),
      `leaver-${scene.turn} is no longer a member of this organization`,
    )
  })

  it('when the first person loses the group', async () => {
    const directory = await makeProvider(app, app.admin, ORG)
    const [leaver, stayer] = await Promise.all(
      ['leaver', 'stayer'].map(name => addPerson(app, `${name}-${scene.turn}`, 'member')),
    )
    const users = [
      await directory.user(`leaver-${scene.turn}@example.com`),
      await directory.user(`stayer-${scene.turn}@example.com`),
    ]
    await directory.group(`crew-${scene.turn}-members`, users)
    const group = await directory.group(`approvers-${scene.turn}`, users)
    await scene.save({ decision_groups: [`approvers-${scene.turn}`] })
    expect((await scene.override(leaver as Client)).status).toBe(202)
    const left = { op: 'remove', path: `members[value eq "${users[0].id}"]` }
    expect((await directory.patch(`/Groups/${group.id}`, left)).status).toBeLessThan(300)
    const { status, body } = await scene.override(stayer as Client)
    expect([status, body.lapsed_request?.lapse_reason]).toEqual([
      202,
      `leaver-${scene.turn} may no longer make such decisions in this organization`,
    ])
  })

  it('when the first person loses the role that a group gave them', async () => {
    const directory = await makeProvider(app, app.admin, ORG)
    const leaver = await addPerson(app, `former-${scene.turn}`, 'member')
    const user = await directory.user(`former-${scene.turn}@example.com`)
    const group = await directory.group(`staff-${scene.turn}-members`, [user])
    await scene.attest(eve)
    expect((await scene.override(leaver)).status).toBe(202)
    const left = { op: 'remove', path: `members[value eq "${user.id}"]` }
    expect((await directory.patch(`/Groups/${group.id}`, left)).status).toBeLessThan(300)
    await expectLapse(
      () => scene.override(app.admin),
      `former-${scene.turn} may no longer make such decisions in this organization`,
    )
  })

  it('not when the person who asked confirms that they are still there', async () => {
    await scene.attest(eve)
    const { body } = await scene.override(app.member)
    expect((await scene.override(app.member)).body).toEqual(body)
    expect((await scene.override(app.admin)).status).toBe(200)
  })
})

describe('both persons and their reasons', () => {
  beforeEach(() => scene.save({ two_person_decisions: ['override', 'allow'] }))

  const buildPersons = (decision_id: string, asked_reason: string) => ({
    decision_id,
    asked_by: 'max',
    asked_at: expect.any(Number),
    asked_reason,
    confirmed_by: 'ada',
    confirmed_at: expect.any(Number),
    confirmed_reason: 'Checked the image',
  })

  async function readPackage(path: string): Promise<string> {
    const { rawPayload } = await app.server.inject({
      url: `/api/v2${path}`,
      headers: { authorization: `Bearer ${app.admin.key ?? ''}` },
    })
    return text(Readable.from([rawPayload]).pipe(createGunzip()))
  }

  it('are in the override, its events, its file of events and its audit package', async () => {
    await scene.attest(eve)
    const { body } = await scene.override(app.member)
    expect((await scene.override(app.admin, { reason: 'Checked the image' })).status).toBe(200)
    const persons = buildPersons(body.id, 'A false alarm')
    const scan = await scene.readScan()
    expect(scan).toMatchObject({
      reason: 'Checked the image',
      reported_by: 'ada',
      confirmed_decision: persons,
    })
    expect(await scene.readLastEvent('decision_confirmed')).toMatchObject({
      actor: 'ada',
      data: { asked_by: 'max', reason: 'A false alarm', confirmed_reason: 'Checked the image' },
    })
    expect((await scene.readLastEvent('trail_attestation_reported'))?.data.confirmed_decision).toEqual(
      persons,
    )
    const csv = await app.admin.get(`/audit-events/${ORG}/export?format=csv`)
    expect(csv.text).toContain(`in trail ${scene.trail} of flow ${FLOW}, as max asked`)
    for (const reason of ['A false alarm', 'Checked the image']) expect(csv.text).toContain(reason)
    const content = await readPackage(`/attestations/${ORG}/attestation/${scan.attestation_id}/audit_package`)
    expect(content).toContain('ada (Checked the image), as max asked (A false alarm)')
    for (const word of ['"asked_by": "max"', 'A false alarm', 'Checked the image'])
      expect(content).toContain(word)
  })

  it('are in the allow-list entry, its events and the audit package of the environment', async () => {
    const { body } = await scene.allow(app.member, { description: 'Vendor image' })
    expect((await scene.allow(app.admin, { description: 'Checked the image' })).status).toBe(201)
    const persons = buildPersons(body.id, 'Vendor image')
    expect(await scene.readAllowed()).toMatchObject([{ created_by: 'ada', confirmed_decision: persons }])
    expect((await scene.readLastEvent('artifact_allow_listed'))?.data.confirmed_decision).toEqual(persons)
    const { body: events } = await app.admin.get(`/audit-events/${ORG}?kind=artifact_allow_listed`)
    expect(JSON.stringify(events)).toContain(
      `in environment ${scene.environment}, as max asked: Checked the image`,
    )
    const content = await readPackage(`/environments/${ORG}/${scene.environment}/audit_package`)
    expect(content).toContain('(max asked: Vendor image; ada confirmed: Checked the image)')
  })

  it('are not there when one person decides', async () => {
    await scene.save({ two_person_decisions: [] })
    await scene.attest(eve)
    await scene.override(app.member)
    await scene.allow(app.member)
    expect(await scene.readScan()).not.toHaveProperty('confirmed_decision')
    expect((await scene.readAllowed())[0]).not.toHaveProperty('confirmed_decision')
  })
})

it('an override that cannot be stored is not confirmed either', async () => {
  await scene.save({ two_person_decisions: ['override'] })
  await scene.attest(eve)
  const { body } = await scene.override(app.member)
  await app.sql(`create function refuse_override() returns trigger language plpgsql as
    $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`)
  await app.sql(`create trigger refuse_override before insert on attestations for each row
    when (new.attestation_type = 'override') execute function refuse_override()`)
  expect((await scene.override(app.admin)).status).toBe(503)
  await app.sql('drop trigger refuse_override on attestations')
  await app.sql('drop function refuse_override')
  expect((await app.reader.get(`/decisions/${ORG}`)).body).toContainEqual(body)
  expect((await scene.override(app.admin)).status).toBe(200)
  expect(await scene.readScan()).toMatchObject({ attestation_type: 'override' })
})
