import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, startTestApp, type TestApp } from '../../../test/harness.ts'
import { toWireId } from '../../lib/ids.ts'
import { systemSecrets } from '../../lib/secrets.ts'

const NO_PERMISSION = { message: "You don't have permission to access this resource" }
const ACCOUNTS = '/service-accounts/acme'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const listAccounts = async () =>
  (await app.sql('select name from service_accounts where deleted_at is null')).map(({ name }) => name)

/** A client with a key of a new account with this privilege. */
async function createRobot(name: string, privilege: string): Promise<Client> {
  await app.admin.post(ACCOUNTS, { name, privilege })
  const { body } = await app.admin.post(`${ACCOUNTS}/${name}/api-keys`, { description: 'robot' })
  return app.makeClientWith(body.key)
}

describe('201', () => {
  it('returns the account, a reader by default, and records it', async () => {
    const { status, body } = await app.snapshotter.post(ACCOUNTS, { name: 'plain' })
    expect(status).toBe(201)
    const [sam] = await app.sql("select user_id from users where name = 'sam'")
    expect(body).toEqual({
      name: 'plain',
      display_name: 'plain',
      privilege: 'reader',
      acts_as: 'reader',
      description: '',
      creating_user_id: toWireId(String(sam?.user_id)),
      created_at: app.clock.now().getTime() / 1000,
      for_webhook: false,
      owner: 'sam',
      keys_stop_at: null,
    })
    expect(await app.readEvents('service_account_created')).toEqual([
      {
        kind: 'service_account_created',
        actor: 'sam',
        data: {
          service_account: 'plain',
          display_name: 'plain',
          privilege: 'reader',
          description: '',
          owner: 'sam',
        },
      },
    ])
  })

  it('accepts a display name', async () => {
    const { status, body } = await app.member.post(ACCOUNTS, {
      name: 'shown',
      display_name: 'Build server 1',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'shown', display_name: 'Build server 1' })
    expect((await app.member.get(`${ACCOUNTS}/shown`)).body.display_name).toBe('Build server 1')
    const listed = (await app.member.get(ACCOUNTS)).body as { name: string; display_name: string }[]
    expect(listed.find(({ name }) => name === 'shown')?.display_name).toBe('Build server 1')
  })

  /** Callers may grant their own role or less. */
  it.each([
    ['admin', ['admin', 'member', 'snapshotter', 'auditor', 'reader'], []],
    ['member', ['member', 'snapshotter', 'reader'], ['admin', 'auditor']],
    ['snapshotter', ['snapshotter', 'reader'], ['admin', 'member', 'auditor']],
  ] as const)('lets a %s grant at most their own role', async (role, given, refused) => {
    for (const privilege of given) {
      const name = `${privilege}-by-${role}`
      expect((await app[role].post(ACCOUNTS, { name, privilege })).status, privilege).toBe(201)
    }
    for (const privilege of refused) {
      const answer = await app[role].post(ACCOUNTS, { name: `never-${role}`, privilege })
      expect([answer.status, answer.body], privilege).toEqual([403, NO_PERMISSION])
    }
    expect(await listAccounts()).not.toContain(`never-${role}`)
  })

  it('accepts names of 1 and of 64 characters', async () => {
    for (const name of ['a', 'A-9'.padEnd(64, 'z')]) {
      expect((await app.admin.post(ACCOUNTS, { name })).status).toBe(201)
    }
  })

  it('lets a service account create others, which then have no user as creator', async () => {
    const creator = await createRobot('creator', 'snapshotter')
    const { status, body } = await creator.post(ACCOUNTS, { name: 'created-by-robot' })
    expect([status, body.creating_user_id]).toEqual([201, ''])
    expect((await creator.patch(`${ACCOUNTS}/created-by-robot`, { description: 'mine' })).status).toBe(200)
    const other = await createRobot('other', 'member')
    expect((await other.delete(`${ACCOUNTS}/created-by-robot`)).status).toBe(403)
    expect((await app.member.delete(`${ACCOUNTS}/created-by-robot`)).status).toBe(403)
  })

  it('returns the account to a retry, even if it has changed since', async () => {
    const named = { 'idempotency-key': 'retried' }
    const first = await app.admin.call('POST', ACCOUNTS, { name: 'retried' }, named)
    const before = (await app.readEvents()).length
    const again = await app.admin.call('POST', ACCOUNTS, { name: 'retried' }, named)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(await app.readEvents()).toHaveLength(before)
    await app.admin.delete(`${ACCOUNTS}/retried`)
    expect((await app.admin.call('POST', ACCOUNTS, { name: 'retried' }, named)).status).toBe(404)
  })
})

describe('400', () => {
  it.each(['', 'a b', 'a_b', 'a.b', 'ä', 'x'.repeat(65)])('refuses the name %j', async name => {
    const { status, body } = await app.admin.post(ACCOUNTS, { name })
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['name'])
  })

  it('lists the valid privileges', async () => {
    const { status, body } = await app.admin.post(ACCOUNTS, { name: 'king', privilege: 'emperor' })
    expect(status).toBe(400)
    expect(body.errors.privilege).toBe(
      "Input should be 'admin', 'member', 'snapshotter', 'auditor' or 'reader' [input: emperor]",
    )
  })

  it('refuses a personal org with an explanation', async () => {
    const { status, body } = await app.admin.post('/service-accounts/ada', { name: 'mine' })
    expect(status).toBe(400)
    expect(body).toEqual({
      message: "Service accounts exist only in shared organizations, and 'ada' is a personal one",
    })
    expect(await listAccounts()).not.toContain('mine')
  })
})

describe('403', () => {
  it('refuses a CI job, whose short-lived key must not create permanent access', async () => {
    const { key, secret_hash } = systemSecrets.createToken('ci')
    await app.sql(
      `with rule as (
         insert into trust_rules (org_id, rule_id, name, description, issuer, audience, claims, privilege, operations,
                                  created_by, created_at, last_modified_at)
         select org_id, gen_random_uuid(), 'ci', '', 'i', 'a', '{}', 'member', '{read,administer}', 'ada', $2, $2
         from orgs where name = 'acme'
         returning org_id, rule_id
       )
       insert into ci_keys (org_id, key_id, rule_id, secret_hash, subject, token_hash, created_at, expires_at)
       select org_id, gen_random_uuid(), rule_id, decode($1, 'hex'), 's', 't', $2, $2 + interval '15 minutes' from rule`,
      [secret_hash, app.clock.now()],
    )
    const job = app.makeClientWith(key)
    expect((await job.get(ACCOUNTS)).status).toBe(200)
    for (const answer of [
      await job.post(ACCOUNTS, { name: 'by-job' }),
      await job.post(`${ACCOUNTS}/plain/api-keys`, { description: 'x' }),
      await job.delete(`${ACCOUNTS}/plain`),
    ]) {
      expect([answer.status, answer.body]).toEqual([403, NO_PERMISSION])
    }
  })
})

describe('a name that is taken', () => {
  it('names the account and the org', async () => {
    await app.admin.post(ACCOUNTS, { name: 'taken' })
    const { status, body } = await app.member.post(ACCOUNTS, { name: 'taken' })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ name: "Service account 'taken' already exists in organization 'acme'" })
  })

  it('lets one of many concurrent requests succeed', async () => {
    const racers = Array.from({ length: 16 }, () => app.admin.post(ACCOUNTS, { name: 'raced' }))
    const statuses = (await Promise.all(racers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(15).fill(400)])
  })

  it('allows the same name in another org', async () => {
    expect((await app.outsider.post('/service-accounts/other-corp', { name: 'taken' })).status).toBe(201)
  })
})
