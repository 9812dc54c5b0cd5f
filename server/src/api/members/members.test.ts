import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson } from '../../../test/people.ts'
import { systemSecrets } from '../../lib/secrets.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const findMember = async (user: string) =>
  (await app.admin.get('/members/acme')).body.find((member: { user: string }) => member.user === user)

const listHistory = () =>
  app.sql(`select event_no, kind, user_name, changed_by, role, previous_role, source from membership_events
    where org_id = (select org_id from orgs where name = 'acme') order by event_no`)

describe('200', () => {
  it('lists members by name, with the source of the last change', async () => {
    const { status, body } = await app.admin.get('/members/acme')
    expect(status).toBe(200)
    expect(body.map((member: { user: string }) => member.user)).toEqual(['ada', 'max', 'rita', 'sam'])
    expect(body[1]).toEqual({
      user: 'max',
      display_name: 'max',
      email: null,
      role: 'member',
      created_at: app.clock.now().getTime() / 1000,
      source: 'script',
    })
  })

  it('shows mail addresses to admins only', async () => {
    await addPerson(app, 'nina', 'reader')
    await app.sql("update users set display_name = 'Nina N.' where name = 'nina'")
    expect(await findMember('nina')).toMatchObject({ email: 'nina@example.com', display_name: 'Nina N.' })
    for (const client of [app.member, app.snapshotter, app.reader]) {
      expect((await client.get('/members/acme')).text).not.toContain('example.com')
    }
  })

  it('changes a role at once and records a numbered event with both roles', async () => {
    const nora = await addPerson(app, 'nora', 'reader')
    expect((await nora.put('/flows/acme', { name: 'mine', description: '' })).status).toBe(403)
    const before = (await listHistory()).length
    expect((await app.admin.put('/members/acme/nora', { role: 'member' })).body).toBe('OK')
    expect((await nora.put('/flows/acme', { name: 'mine', description: '' })).status).toBe(201)
    expect(await findMember('nora')).toMatchObject({ role: 'member', source: 'app' })
    expect((await listHistory()).slice(before)).toEqual([
      {
        event_no: before + 1,
        kind: 'changed',
        user_name: 'nora',
        changed_by: 'ada',
        role: 'member',
        previous_role: 'reader',
        source: 'app',
      },
    ])
    expect((await app.readEvents('member_role_changed')).at(-1)).toMatchObject({
      actor: 'ada',
      data: { source: 'app', user: 'nora', role: 'member', previous_role: 'reader' },
    })
  })

  it('records nothing if nothing changes', async () => {
    const before = (await app.readEvents()).length
    expect((await app.admin.put('/members/acme/max', { role: 'member' })).status).toBe(200)
    expect(await app.readEvents()).toHaveLength(before)
  })

  it('shows display names of people and names of service accounts in the history', async () => {
    await app.sql("update users set display_name = 'Ada L.' where name = 'ada'")
    await app.admin.put('/members/acme/nina', { role: 'snapshotter' })
    expect((await listHistory()).at(-1)).toMatchObject({ user_name: 'Nina N.', changed_by: 'Ada L.' })
    expect((await app.readEvents('member_role_changed')).at(-1)).toMatchObject({
      actor: 'ada',
      data: { user: 'nina' },
    })
    await app.sql("update users set display_name = null where name = 'ada'")
  })

  it('removes a member at once', async () => {
    const otto = await addPerson(app, 'otto', 'member')
    expect((await otto.get('/flows/acme')).status).toBe(200)
    expect((await app.admin.delete('/members/acme/otto')).body).toBe('OK')
    expect((await otto.get('/flows/acme')).status).toBe(403)
    expect((await app.readEvents('member_removed')).at(-1)).toMatchObject({
      data: { user: 'otto', role: null, previous_role: 'member' },
    })
    expect((await listHistory()).at(-1)).toMatchObject({
      kind: 'removed',
      role: null,
      previous_role: 'member',
    })
  })

  it('lets every member leave', async () => {
    const pia = await addPerson(app, 'pia', 'reader')
    expect((await pia.delete('/members/acme/pia')).status).toBe(200)
    expect((await pia.get('/members/acme')).status).toBe(403)
    expect((await app.readEvents('member_removed')).at(-1)).toMatchObject({ actor: 'pia' })
  })

  it('ends no session, because it also works in other organizations', async () => {
    for (const name of ['quinn', 'ruth']) await addPerson(app, name, 'reader')
    await app.sql(`insert into sessions (session_id, user_id, secret_hash, method, user_agent, created_at, last_seen_at,
        expires_at)
      select gen_random_uuid(), user_id, decode(md5(name), 'hex'), 'link', '', now(), now(), now() from users
      where name in ('quinn', 'ruth')`)
    await app.sql(`insert into memberships (org_id, user_id, role, created_at)
      select o.org_id, u.user_id, 'reader', now() from orgs o, users u where o.name = 'other-corp' and u.name = 'ruth'`)
    for (const name of ['quinn', 'ruth']) await app.admin.delete(`/members/acme/${name}`)
    expect(await app.sql('select 1 from sessions where ended_at is not null')).toEqual([])
  })
})

describe('400', () => {
  it('refuses unknown roles', async () => {
    const { status, body } = await app.admin.put('/members/acme/max', { role: 'emperor' })
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['role'])
  })
})

describe('403', () => {
  it('lets only admins remove other members', async () => {
    for (const client of [app.member, app.snapshotter, app.reader]) {
      expect((await client.delete('/members/acme/ada')).status).toBe(403)
      expect((await client.delete('/members/acme/nobody-at-all')).status).toBe(403)
    }
  })

  it('does not confuse a service account with a person of the same name', async () => {
    const key = systemSecrets.createToken('svc')
    await app.sql(
      `with account as (
         insert into service_accounts (org_id, service_account_id, name, display_name, privilege, created_at)
         select org_id, gen_random_uuid(), 'rita', 'rita', 'reader', now() from orgs where name = 'acme'
         returning org_id, service_account_id
       )
       insert into service_account_keys (org_id, service_account_id, key_id, secret_hash, hint, description, created_at)
       select org_id, service_account_id, gen_random_uuid(), decode($1, 'hex'), '', '', now() from account`,
      [key.secret_hash],
    )
    expect((await app.makeClientWith(key.key).delete('/members/acme/rita')).status).toBe(403)
    expect(await findMember('rita')).toBeDefined()
  })
})

describe('404', () => {
  it.each(['oscar', 'nobody', 'O%27Neil'])('has no member %s', async user => {
    for (const answer of [
      await app.admin.put(`/members/acme/${user}`, { role: 'reader' }),
      await app.admin.delete(`/members/acme/${user}`),
    ]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({
        message: `User '${decodeURIComponent(user)}' is not a member of organization 'acme'`,
      })
    }
  })
})

describe('409', () => {
  const refusal = { message: "The last admin of 'acme' cannot be removed or demoted" }

  it('keeps the last admin', async () => {
    const before = await listHistory()
    const demoted = await app.admin.put('/members/acme/ada', { role: 'member' })
    expect([demoted.status, demoted.body]).toEqual([409, refusal])
    const left = await app.admin.delete('/members/acme/ada')
    expect([left.status, left.body]).toEqual([409, refusal])
    expect(await listHistory()).toEqual(before)
  })

  it('does not count an admin who is deactivated', async () => {
    await addPerson(app, 'tess', 'admin')
    await app.sql("update users set deactivated_at = now() where name = 'tess'")
    expect((await app.admin.delete('/members/acme/ada')).status).toBe(409)
    expect((await app.admin.delete('/members/acme/tess')).status).toBe(200)
  })

  it('keeps one of two admins when concurrent requests demote both', async () => {
    await addPerson(app, 'uma', 'admin')
    const robot = systemSecrets.createToken('svc')
    await app.sql(
      `with account as (
         insert into service_accounts (org_id, service_account_id, name, display_name, privilege, created_at)
         select org_id, gen_random_uuid(), 'boss', 'boss', 'admin', now() from orgs where name = 'acme'
         returning org_id, service_account_id
       )
       insert into service_account_keys (org_id, service_account_id, key_id, secret_hash, hint, description, created_at)
       select org_id, service_account_id, gen_random_uuid(), decode($1, 'hex'), '', '', now() from account`,
      [robot.secret_hash],
    )
    const boss = app.makeClientWith(robot.key)
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        boss.put(`/members/acme/${i % 2 ? 'ada' : 'uma'}`, { role: 'member' }),
      ),
    )
    const admins = await app.sql(`select u.name from memberships m join users u on u.user_id = m.user_id
      join orgs o on o.org_id = m.org_id where o.name = 'acme' and m.role = 'admin'`)
    expect(admins).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    const numbers = (await listHistory()).map(({ event_no }) => event_no)
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
    const [org] = await app.sql("select membership_events from orgs where name = 'acme'")
    expect(org?.membership_events).toBe(numbers.length)
  })
})
