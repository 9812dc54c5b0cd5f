import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, startTestApp, type TestApp } from '../../../test/harness.ts'
import { applySetUp } from '../../admin/apply.ts'
import { withOwnerTransaction } from '../../db/owner.ts'
import { makeIds } from '../../lib/ids.ts'
import { systemSecrets } from '../../lib/secrets.ts'

let app: TestApp
let robot: Client
beforeAll(async () => {
  app = await startTestApp()
  const secret = systemSecrets.createToken('svc').key
  await withOwnerTransaction(app.owner, tx =>
    applySetUp(
      { tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes: [] },
      {
        orgs: [
          { name: 'acme', service_accounts: [{ name: 'robot', privilege: 'admin', api_keys: [{ secret }] }] },
        ],
      },
    ),
  )
  robot = app.makeClientWith(secret)
})
afterAll(() => app.stop())

const readDefaultOrg = async (client: Client) => (await client.get('/user/default-org')).body

describe('200', () => {
  it('returns null if none is set', async () => {
    const { status, body } = await app.snapshotter.get('/user/default-org')
    expect(status).toBe(200)
    expect(body).toEqual({ default_org_name: null })
  })

  it('sets it for the caller only, immediately', async () => {
    expect(await readDefaultOrg(app.reader)).toEqual({ default_org_name: null })
    const { status, body } = await app.reader.put('/user/acme', null)
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect(await readDefaultOrg(app.reader)).toEqual({ default_org_name: 'acme' })
    expect(await readDefaultOrg(app.member)).toEqual({ default_org_name: null })
    expect(await app.sql('select name from users where default_org_id is not null')).toEqual([
      { name: 'rita' },
    ])
  })

  it('changes it, and records nothing in the history of an org', async () => {
    const before = (await app.readEvents()).length
    await app.admin.put('/user/ada', null)
    expect(await readDefaultOrg(app.admin)).toEqual({ default_org_name: 'ada' })
    await app.admin.put('/user/acme', null)
    expect(await readDefaultOrg(app.admin)).toEqual({ default_org_name: 'acme' })
    expect(await app.readEvents()).toHaveLength(before)
  })

  it('returns its org to a service account', async () => {
    expect(await readDefaultOrg(robot)).toEqual({ default_org_name: 'acme' })
  })
})

describe('401', () => {
  it('is returned to callers without a key', async () =>
    expect((await app.anonymous.get('/user/default-org')).status).toBe(401))
})

describe('403', () => {
  it.each(['other-corp', 'non-existing-org-abc123'])('denies %s and stores nothing', async org => {
    const before = await readDefaultOrg(app.member)
    const { status, body } = await app.member.put(`/user/${org}`, null)
    expect(status).toBe(403)
    expect(body).toEqual({ message: `Access denied to /api/v2/user/${org}` })
    expect(await readDefaultOrg(app.member)).toEqual(before)
  })

  it('is not for service accounts', async () => {
    const { status, body } = await robot.put('/user/acme', null)
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
  })
})
