import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { restoreOrg } from '../../admin/people.ts'
import { withOwnerTransaction } from '../../db/owner.ts'
import { makeIds } from '../../lib/ids.ts'
import { systemSecrets } from '../../lib/secrets.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const makeDenied = (path: string) => ({ message: `Access denied to /api/v2${path}` })

async function restore(name: string): Promise<string[]> {
  const changes: string[] = []
  await withOwnerTransaction(app.owner, tx =>
    restoreOrg({ tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes }, name),
  )
  return changes
}

describe('POST /organizations', () => {
  it('201: creates a shared organization whose admin is the caller', async () => {
    const { status, body } = await app.member.post('/organizations', { name: 'made', description: 'by max' })
    expect(status).toBe(201)
    expect(body).toEqual({
      name: 'made',
      kind: 'shared',
      description: 'by max',
      created_at: app.clock.now().getTime() / 1000,
      features: { controls: true },
      experimental_features_enabled: false,
      settings: {
        default_role: 'reader',
        mail_domains: [],
        public_read: false,
        max_key_lifetime_days: 365,
        allowed_addresses: [],
        service_account_creators: 'admin',
        leaver_grace_days: 7,
        decision_role: 'member',
        decision_groups: [],
        separate_duties: false,
        two_person_decisions: [],
        sso_required: false,
        break_glass: [],
      },
    })
    expect((await app.member.get('/members/made')).body).toMatchObject([{ user: 'max', role: 'admin' }])
    expect((await app.member.put('/flows/made', { name: 'f', description: '' })).status).toBe(201)
    expect((await app.readEvents('org_created')).find(({ actor }) => actor === 'max')).toEqual({
      kind: 'org_created',
      actor: 'max',
      data: {
        org: 'made',
        before: null,
        after: { kind: 'shared', description: 'by max', features: { controls: true } },
      },
    })
    expect((await app.member.get('/membership-audit-log/made')).body).toMatchObject({
      total_count: 1,
      events: [{ user: 'max', role: 'admin', previous_role: '', changed_by: 'max', source: 'app' }],
    })
  })

  it('201: creates one organization per Idempotency-Key', async () => {
    const send = (body: unknown) =>
      app.member.call('POST', '/organizations', body, { 'idempotency-key': 'org-once' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => send({ name: 'once' })))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect((await send({ name: 'once', description: 'other' })).status).toBe(422)
    const stranger = await app.reader.call(
      'POST',
      '/organizations',
      { name: 'once' },
      {
        'idempotency-key': 'org-once',
      },
    )
    expect(stranger.status).toBe(409)
  })

  it.each(['', 'a b', '-x', 'x'.repeat(65), 'api', 'Invitations', 'next.js', 'Robots.TXT'])(
    '400: refuses the name %j',
    async name => {
      const { status, body } = await app.member.post('/organizations', { name })
      expect(status).toBe(400)
      expect(Object.keys(body.errors)).toEqual(['name'])
    },
  )

  it('403: is for people only', async () => {
    const key = systemSecrets.createToken('svc')
    await app.sql(
      `with account as (
         insert into service_accounts (org_id, service_account_id, name, display_name, privilege, created_at)
         select org_id, gen_random_uuid(), 'bot', 'bot', 'admin', now() from orgs where name = 'acme'
         returning org_id, service_account_id
       )
       insert into service_account_keys (org_id, service_account_id, key_id, secret_hash, hint, description, created_at)
       select org_id, service_account_id, gen_random_uuid(), decode($1, 'hex'), '', '', now() from account`,
      [key.secret_hash],
    )
    const robot = app.makeClientWith(key.key)
    expect((await robot.post('/organizations', { name: 'of-a-robot' })).status).toBe(403)
    expect((await robot.get('/organizations')).status).toBe(403)
  })

  it.each(['acme', 'oscar', 'made'])('409: %s is taken, whoever has it', async name => {
    const { status, body } = await app.reader.post('/organizations', { name })
    expect(status).toBe(409)
    expect(body).toEqual({ message: `The name '${name}' is taken` })
  })

  it('409: of many concurrent requests for a name, one succeeds', async () => {
    const answers = await Promise.all(
      [app.admin, app.member, app.reader, app.outsider].map(client =>
        client.post('/organizations', { name: 'wanted' }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
  })
})

describe('GET /organizations', () => {
  it('200: lists those of the caller', async () => {
    const { status, body } = await app.snapshotter.get('/organizations')
    expect(status).toBe(200)
    expect(body).toEqual([
      { name: 'acme', kind: 'shared', role: 'snapshotter', description: '' },
      { name: 'sam', kind: 'personal', role: 'admin', description: '' },
    ])
  })
})

describe('GET /organizations/{org}', () => {
  it('200: returns the settings to every member', async () => {
    const { status, body } = await app.reader.get('/organizations/acme')
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'acme', kind: 'shared', settings: { public_read: false } })
  })

  it('401, 403: shows nothing to callers who may only read its public flows', async () => {
    await app.admin.put('/flows/acme', { name: 'open', description: '', visibility: 'public' })
    await app.admin.patch('/organizations/acme', { settings: { public_read: true } })
    for (const [visitor, status] of [
      [app.anonymous, 401],
      [app.outsider, 403],
    ] as const) {
      expect((await visitor.get('/flows/acme/open')).status).toBe(200)
      const refused = await visitor.get('/organizations/acme')
      expect([refused.status, Object.keys(refused.body)]).toEqual([status, ['message']])
    }
    await app.admin.patch('/organizations/acme', { settings: { public_read: false } })
  })
})

describe('PATCH /organizations/{org}', () => {
  it('200: changes the given fields only, and records before and after', async () => {
    const { status, body } = await app.admin.patch('/organizations/acme', {
      description: 'Things that explode',
      settings: { mail_domains: ['B.example', 'a.example', 'b.example'] },
      features: { controls: false },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      description: 'Things that explode',
      features: { controls: false },
      settings: {
        default_role: 'reader',
        mail_domains: ['a.example', 'b.example'],
        public_read: false,
        sso_required: false,
        break_glass: [],
      },
    })
    expect((await app.reader.get('/organizations/acme')).body).toEqual(body)
    expect((await app.readEvents('org_changed')).at(-1)).toEqual({
      kind: 'org_changed',
      actor: 'ada',
      data: {
        org: 'acme',
        before: { description: '', controls: true, mail_domains: [] },
        after: {
          description: 'Things that explode',
          controls: false,
          mail_domains: ['a.example', 'b.example'],
        },
      },
    })
    const before = (await app.readEvents()).length
    await app.admin.patch('/organizations/acme', { features: { controls: false }, settings: {} })
    expect(await app.readEvents()).toHaveLength(before)
    await app.admin.patch('/organizations/acme', { settings: { mail_domains: [] } })
  })

  it.each([
    [{ settings: { default_role: 'admin' } }, 'settings.default_role'],
    [{ settings: { mail_domains: ['not a domain'] } }, 'settings.mail_domains[0]'],
    [{ settings: { public_read: 'yes' } }, 'settings.public_read'],
    [{ features: { flying: true } }, 'features.flying'],
  ])('400: refuses %j', async (patch, field) => {
    const { status, body } = await app.admin.patch('/organizations/acme', patch)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('DELETE /organizations/{org}', () => {
  it('400: requires the name as confirmation', async () => {
    for (const confirm of ['', 'ACME', 'other-corp']) {
      const { status, body } = await app.admin.delete('/organizations/acme', { confirm })
      expect(status).toBe(400)
      expect(Object.keys(body.errors)).toEqual(['confirm'])
    }
  })

  it('409: does not delete personal organizations', async () => {
    const { status, body } = await app.admin.delete('/organizations/ada', { confirm: 'ada' })
    expect(status).toBe(409)
    expect(body).toEqual({ message: "'ada' is a personal organization and cannot be deleted" })
  })

  it('200: closes it to everyone immediately, until an operator restores it', async () => {
    await app.admin.patch('/organizations/acme', { settings: { public_read: true } })
    for (const client of [app.admin, app.member, app.reader, app.anonymous]) {
      expect((await client.get('/flows/acme')).status).toBe(200)
    }
    const { status, body } = await app.admin.delete('/organizations/acme', { confirm: 'acme' })
    const now_s = app.clock.now().getTime() / 1000
    expect(status).toBe(200)
    expect(body).toEqual({ name: 'acme', delete_requested_at: now_s, delete_after: now_s + 14 * 86_400 })
    for (const client of [app.admin, app.member, app.reader]) {
      const refused = await client.get('/flows/acme')
      expect([refused.status, refused.body]).toEqual([403, makeDenied('/flows/acme')])
    }
    expect((await app.anonymous.get('/flows/acme')).status).toBe(401)
    expect((await app.admin.get('/organizations')).text).not.toContain('acme')
    expect((await app.admin.post('/organizations', { name: 'acme' })).status).toBe(409)
    expect((await app.readEvents('org_delete_requested')).at(-1)?.data).toEqual({
      org: 'acme',
      before: { delete_requested_at: null, delete_after: null },
      after: { delete_requested_at: now_s, delete_after: now_s + 14 * 86_400 },
    })

    expect(await restore('acme')).toEqual(['restored organization acme'])
    expect(await restore('acme')).toEqual([])
    // The auth cache keeps what it found while the org was closed for a few seconds.
    app.clock.advance(10_000)
    for (const client of [app.admin, app.reader]) expect((await client.get('/flows/acme')).status).toBe(200)
    expect((await app.readEvents('org_restored')).at(-1)).toMatchObject({
      actor: 'admin program',
      data: { source: 'script', after: { delete_after: null } },
    })
    await expect(restore('no-such-org')).rejects.toThrow('There is no organization no-such-org')
  })
})
