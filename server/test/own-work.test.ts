// Whose work counts as whose: people who stand behind a service account, and authors of policies.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FLOW, openScene, type Scene } from './deciding.ts'
import { buildPolicyRequiring, makeEnvironment, putPolicy } from './environments.ts'
import { type Client, ORG, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'
import { makeFingerprint } from './reports.ts'

let accounts = 0
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

/** A service account with its owner, null for the organization, and a client for a key that each maker makes. */
async function makeAccount(
  owner: string | null,
  ...makers: Client[]
): Promise<{ name: string; clients: Client[] }> {
  accounts += 1
  const name = `robot-${accounts}`
  const path = `/service-accounts/${ORG}`
  await app.admin.post(path, { name, privilege: 'member', owner })
  const clients: Client[] = []
  for (const maker of makers) {
    const { body, status } = await maker.post(`${path}/${name}/api-keys`, { description: 'x' })
    expect(status, JSON.stringify(body)).toBe(201)
    clients.push(app.makeClientWith(body.key))
  }
  return { name, clients }
}

describe('whoever stands behind a service account', () => {
  beforeEach(() => scene.save({ separate_duties: true }))

  const refusesOverride = async (client: Client, reason: string) => {
    const { status, body } = await scene.override(client)
    expect([status, body.message]).toEqual([403, expect.stringContaining(reason)])
  }

  it('as its owner or as the maker of one of its keys, does not override what it reports', async () => {
    const { name, clients } = await makeAccount('max', app.member, app.admin)
    await scene.attest(clients[0] as Client)
    await refusesOverride(app.member, `your service account '${name}'`)
    await refusesOverride(app.admin, `your service account '${name}', which you own or made a key of`)
    expect((await scene.override(eve)).status).toBe(200)
  })

  it('does not override through it what they reported themselves', async () => {
    const { clients } = await makeAccount('max', app.member)
    await scene.attest(app.member)
    await refusesOverride(clients[0] as Client, "'max', behind which the same person stands")
    expect((await scene.override(app.admin)).status).toBe(200)
  })

  it('does not override the report of one of their accounts through another one', async () => {
    const first = await makeAccount(null, app.admin)
    const second = await makeAccount('ada', app.admin)
    await scene.attest(first.clients[0] as Client)
    await refusesOverride(second.clients[0] as Client, first.name)
  })

  it('may be nobody: an account of the organization does not override or approve its own evidence', async () => {
    const { clients } = await makeAccount(null, app.admin)
    await app.sql("update service_account_keys set created_by = 'gone' where created_by = 'ada'")
    const [robot] = clients as [Client]
    await scene.attest(robot)
    await refusesOverride(robot, 'was reported by you')
    await reportArtifact(robot, 'd')
    expect((await approve(robot, 'd')).body.message).toContain('was reported by you')
    expect((await approve(app.admin, 'd')).status).toBe(201)
  })

  const reportArtifact = (client: Client, start: string) =>
    client.post(`/artifacts/${ORG}/${FLOW}`, {
      fingerprint: makeFingerprint(start),
      filename: 'app',
      git_commit: 'b'.repeat(40),
      build_url: 'https://ci.example/1',
      commit_url: 'https://git.example/1',
    })
  const approve = (client: Client, start: string, state = 'APPROVED') =>
    client.post(`/approvals/${ORG}/${FLOW}`, {
      artifact_fingerprint: makeFingerprint(start),
      description: 'x',
      src_commit_list: [],
      approvals: state === 'none' ? [] : [{ state, comment: '', approved_by: 'External', approval_url: '' }],
    })

  it('does not approve an artifact that it reported, but may request the approval', async () => {
    const { name, clients } = await makeAccount('max', app.member)
    await reportArtifact(clients[0] as Client, 'e')
    const { status, body } = await approve(app.member, 'e')
    expect([status, body.message]).toEqual([
      403,
      `Artifact with fingerprint ${makeFingerprint('e')} was reported by your service account '${name}', which you ` +
        'own or made a key of. This organization requires another person to approve it',
    ])
    expect((await approve(app.member, 'e', 'none')).status).toBe(201)
    expect((await approve(eve, 'e')).status).toBe(201)
    await scene.save({ separate_duties: false })
    expect((await approve(app.member, 'e')).status).toBe(201)
  })
})

describe('with separate authors of policies', () => {
  let policy: string
  beforeEach(async () => {
    policy = `rules-${scene.turn}`
    await putPolicy(app, policy, buildPolicyRequiring('a'))
    await app.admin.post(`/environments/${ORG}/${scene.environment}/policies`, { policy_names: [policy] })
    await scene.save({ separate_policy_authors: true })
  })

  it('who wrote a policy in force, or attached it, does not overrule it alone', async () => {
    for (const [who, artifact_name] of [
      [app.member, 'one'],
      [app.admin, 'two'],
    ] as const) {
      const entry = {
        artifact_fingerprint: makeFingerprint(artifact_name === 'one' ? '1' : '2'),
        artifact_name,
      }
      expect((await scene.allow(who, entry)).status).toBe(202)
      await scene.attest(who)
      expect((await scene.override(who)).status).toBe(202)
    }
    expect((await scene.allow(eve, { artifact_fingerprint: makeFingerprint('3') })).status).toBe(201)
    expect((await scene.override(eve, { original_attestation_type: 'junit' })).status).toBe(200)
  })

  it('anyone else confirms it, and both are named', async () => {
    await scene.allow(app.member)
    expect((await scene.allow(eve)).status).toBe(201)
    expect(await scene.readAllowed()).toMatchObject([
      { created_by: 'eve', confirmed_decision: { asked_by: 'max', confirmed_by: 'eve' } },
    ])
    await scene.attest(app.admin)
    await scene.override(app.member)
    expect((await scene.override(app.admin)).status).toBe(200)
    expect(await scene.readScan()).toMatchObject({
      confirmed_decision: { asked_by: 'max', confirmed_by: 'ada' },
    })
  })

  it('their service accounts do not overrule it at all', async () => {
    const { clients } = await makeAccount('max', app.member)
    expect((await scene.allow(clients[0] as Client)).status).toBe(403)
    await scene.attest(app.admin)
    expect((await scene.override(clients[0] as Client)).status).toBe(403)
    const other = await makeAccount('eve', eve)
    expect((await scene.allow(other.clients[0] as Client)).status).toBe(201)
  })

  it('they overrule nothing by saying that something is not compliant, or where their policy is not attached', async () => {
    await scene.attest(app.admin, true)
    expect((await scene.override(app.member, { new_compliance_status: false })).status).toBe(200)
    await makeEnvironment(app, `free-${scene.turn}`)
    expect((await scene.allow(app.member, {}, `free-${scene.turn}`)).status).toBe(201)
  })

  it('an earlier version of the policy counts', async () => {
    await app.admin.put(`/policies/${ORG}/${policy}`, { policy_yaml: buildPolicyRequiring('b') })
    expect((await scene.allow(app.member)).status).toBe(202)
  })

  describe('who has detached a policy', () => {
    const change = (client: Client, method: 'POST' | 'DELETE') =>
      client.call(method, `/environments/${ORG}/${scene.environment}/policies`, { policy_names: [policy] })

    it.each([
      ['its author', () => app.member],
      ['who attached it', () => app.admin],
      ['anyone else', () => eve],
    ])('does not decide alone before it is attached again: %s', async (_, getClient) => {
      const client = getClient()
      expect((await change(client, 'DELETE')).status).toBe(200)
      expect((await scene.allow(client)).status).toBe(202)
      await scene.attest(client)
      expect((await scene.override(client)).status).toBe(202)
      expect((await change(client, 'POST')).status).toBe(200)
      expect(await scene.readAllowed()).toEqual([])
    })

    it('needs anyone but those behind the policy', async () => {
      await change(app.member, 'DELETE')
      expect((await scene.allow(eve)).status).toBe(201)
    })
  })

  it('who has archived the environment does not override alone before it is there again', async () => {
    await app.admin.put(`/environments/${ORG}/${scene.environment}/archive`, null)
    await scene.attest(app.member)
    expect((await scene.override(app.member)).status).toBe(202)
  })
})
