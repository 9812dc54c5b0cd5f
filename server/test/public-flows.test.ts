// Public access: visitors can read the public flows of an organization with `public_read`, their contents, and
// nothing else.
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../src/api/operations.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { buildPath, FLOW } from './credentials.ts'
import { makeEnvironment, report } from './environments.ts'
import { makeFile, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, SHA } from './reports.ts'
import { getNeededAccess, isForVisitors } from './roles.ts'
import { makeStatementLog, recordStatements } from './statement-log.ts'

/** The prefix of every text that visitors must not see. */
const SECRET = 'tell-nobody'
const FINGERPRINT = makeFingerprint('ab')

let app: TestApp
let evidence: string
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'shown')
  await makeFlow(app, `${SECRET}-flow`)
  for (const flow of ['shown', `${SECRET}-flow`]) {
    const mark = flow === 'shown' ? 'shown' : SECRET
    await app.member.post(
      `/artifacts/acme/${flow}`,
      makeBuild(FINGERPRINT, { ...nameTrail('run-1'), filename: `${mark}-image` }),
    )
    await app.member.form('POST', `/attestations/acme/${flow}/trail/run-1/generic`, {
      data_json: JSON.stringify({
        attestation_name: 'scan',
        artifact_fingerprint: FINGERPRINT,
        is_compliant: true,
        description: `${mark}-description`,
      }),
      attachment_file: makeFile(`${mark}-attachment`),
    })
  }
  await makeEnvironment(app, `${SECRET}-prod`)
  await report(app, `${SECRET}-prod`, 'ab')
  await addPerson(app, `${SECRET}-person`, 'reader')
  const [attestation] = (await app.reader.get('/attestations/acme/shown/trail/run-1/scan')).body
  evidence = `/attestations/acme/shown/trail/run-1/attestation/${attestation.attestation_id}/evidence`
  await app.admin.patch('/organizations/acme', {
    description: SECRET,
    settings: { mail_domains: [`${SECRET}.example`] },
  })
})
afterAll(() => app.stop())

const setPublicRead = (public_read: boolean) =>
  app.admin.patch('/organizations/acme', { settings: { public_read } })
const setVisibility = (visibility: string) =>
  app.member.put('/flows/acme', { name: 'shown', description: '', visibility })

const listFlowPaths = () => [
  '/flows/acme',
  '/flows/acme/shown',
  '/trails/acme/shown/run-1',
  `/artifacts/acme/shown/fingerprint/${FINGERPRINT}`,
  `/artifacts/acme/shown/commit_sha/${SHA}`,
  `/artifacts/acme/shown/${FINGERPRINT}/latest_commit`,
  '/attestations/acme/shown/trail/run-1/scan',
  `/attestations/acme/shown/artifact/${FINGERPRINT}/scan`,
  evidence,
  '/trails/acme/shown/run-1/audit_package',
  `/artifacts/acme/shown/fingerprint/${FINGERPRINT}/audit_package`,
]

describe('a flow', () => {
  it.each([
    ['private', false],
    ['private', true],
    ['public', false],
  ])('that is %s is closed when `public_read` is %s', async (visibility, public_read) => {
    await setVisibility(visibility)
    await setPublicRead(public_read)
    const own = listFlowPaths().filter(path => path !== '/flows/acme')
    for (const path of own) {
      expect((await app.anonymous.get(path)).status, path).toBe(401)
      expect((await app.outsider.get(path)).status, path).toBe(403)
    }
    const list = await app.anonymous.get('/flows/acme')
    expect([list.status, list.text]).toEqual(public_read ? [200, '[]'] : [401, expect.anything()])
  })
})

describe('a public flow of an organization with `public_read`', () => {
  beforeAll(async () => {
    await setVisibility('public')
    await setPublicRead(true)
  })

  it('200: can be read with its contents, without a key and with the key of another organization', async () => {
    for (const path of listFlowPaths()) {
      for (const visitor of [app.anonymous, app.outsider]) {
        const { status, bytes, text } = await visitor.get(path)
        expect(status, path).toBe(200)
        const read = path.endsWith('audit_package') ? gunzipSync(bytes ?? '').toString() : text
        expect(read, path).not.toContain(SECRET)
      }
    }
    expect((await app.anonymous.get('/flows/acme')).body).toMatchObject([{ name: 'shown' }])
    expect((await app.anonymous.get('/flows/acme?page=1')).body).toMatchObject({
      data: [{ name: 'shown' }],
      pagination: { total: 1 },
    })
    expect((await app.reader.get('/flows/acme')).body).toHaveLength(2)
  })

  it('200: shows members, but not visitors, where an artifact runs', async () => {
    const path = `/artifacts/acme/shown/fingerprint/${FINGERPRINT}`
    expect((await app.reader.get(path)).body.running).toMatchObject([{ environment_name: `${SECRET}-prod` }])
    expect((await app.anonymous.get(path)).body).toMatchObject({ running: [], running_count: 0 })
  })

  it('200: can be read under a former name while no other flow has it', async () => {
    await app.member.put('/flows/acme/shown/rename', { new_name: 'renamed' })
    expect((await app.anonymous.get('/flows/acme/shown')).body.name).toBe('renamed')
    await makeFlow(app, 'shown')
    expect((await app.anonymous.get('/flows/acme/shown')).status).toBe(401)
    await app.member.put('/flows/acme/shown/archive')
    await app.member.put('/flows/acme/renamed/rename', { new_name: 'shown' })
  })

  it('401: opens nothing else: no members, keys, settings, environments, policies or writes', async () => {
    const closed = operations.filter(
      ({ contract }) => getNeededAccess(contract) !== 'public' && !isForVisitors(contract),
    )
    expect(closed.length).toBeGreaterThan(100)
    for (const { contract } of closed) {
      const path = buildPath(contract, 'acme').replace(FLOW, 'shown')
      expect((await app.anonymous.call(contract.method, path)).status, contract.id).toBe(401)
    }
  })

  it('401: an invalid key is rejected, not treated as a visitor', async () => {
    expect((await app.makeClientWith(systemSecrets.createToken('user').key).get('/flows/acme')).status).toBe(
      401,
    )
  })

  it('401: opens no other organization', async () => {
    for (const org of ['other-corp', 'ada', 'no-such-org']) {
      expect((await app.anonymous.get(`/flows/${org}`)).status).toBe(401)
    }
  })

  it('does the same work for an organization that is not theirs and for one that does not exist', async () => {
    const strangers = [
      app.anonymous,
      app.makeClientWith(systemSecrets.createToken('user').key),
      app.makeClientWith(systemSecrets.createToken('scim').key),
      app.reader,
    ]
    // The use of a key is recorded once a minute.
    await recordStatements(app, () => app.reader.get('/flows/acme'))
    for (const path of ['/flows/{org}', '/flows/{org}/shown', '/log/{org}/checkpoint', '/members/{org}']) {
      for (const client of strangers) {
        const observe = async (org: string) => {
          const { statements, waits, during } = makeStatementLog()
          const { status, text } = await during(() => client.get(path.replace('{org}', org)))
          return { status, text: text.replace(org, ''), statements, waits }
        }
        expect(await observe('no-such-org'), path).toEqual(await observe('other-corp'))
      }
    }
  })
})
