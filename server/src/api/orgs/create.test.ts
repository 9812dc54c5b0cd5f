import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { systemSecrets } from '../../lib/secrets.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

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
        public_log: false,
        max_key_lifetime_days: 365,
        allowed_addresses: [],
        service_account_creators: 'admin',
        leaver_grace_days: 7,
        decision_role: 'member',
        decision_groups: [],
        separate_duties: false,
        separate_policy_authors: false,
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
