// Two processes of one service: what one of them, the admin program or manual SQL revokes, the other rejects
// immediately. The clocks stand still, so no cached caller ever expires: only a notification or a recheck can reject
// them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Admin } from '../src/admin/actor.ts'
import { deactivateUser } from '../src/admin/deactivate.ts'
import { type KeyOwner, requireUserOwner, revokeOwnerKey } from '../src/admin/keys.ts'
import { withOwnerTransaction } from '../src/db/owner.ts'
import { makeIds } from '../src/lib/ids.ts'
import { hashSecret, systemSecrets } from '../src/lib/secrets.ts'
import { computeCsrfToken, SESSION_COOKIE } from '../src/lib/session-token.ts'
import { insertSession } from './browser.ts'
import { type Client, ORG, startTestApp, type TestApp } from './harness.ts'
import { until } from './patience.ts'
import { addPerson } from './people.ts'

const LISTENERS = `select pid from pg_stat_activity
  where datname = current_database() and application_name = 'waybill-listener' and query like 'listen%'
    and state = 'idle'`

let a: TestApp
let b: TestApp
/** Is never notified. */
let deaf: TestApp
beforeAll(async () => {
  a = await startTestApp({ listens: true })
  b = await startTestApp({ beside: a, listens: true })
  deaf = await startTestApp({ beside: a })
  await untilListening(2)
})
afterAll(async () => {
  await deaf.stop()
  await b.stop()
  await a.stop()
})

async function untilListening(processes: number): Promise<void> {
  await until(async () => (await a.sql(LISTENERS)).length === processes)
}

let people = 0
async function addMember(role: string): Promise<{ name: string; key: string; at(app: TestApp): Client }> {
  people += 1
  const name = `person-${people}`
  const { key = '' } = await addPerson(a, name, role)
  return { name, key, at: app => app.makeClientWith(key) }
}

/** Returns only after the process has cached the caller. */
async function expectCached(client: Client, path = `/flows/${ORG}`): Promise<void> {
  expect((await client.get(path)).status).toBe(200)
}

async function untilStatus(client: Client, status: number, path = `/flows/${ORG}`): Promise<void> {
  await until(async () => (await client.get(path)).status === status)
}

const runAdmin = <T>(work: (admin: Admin) => Promise<T>): Promise<T> =>
  withOwnerTransaction(a.owner, tx =>
    work({ tx, ids: makeIds(a.clock), secrets: systemSecrets, now: a.clock.now(), changes: [] }),
  )

const revoking = ({ name }: { name: string }) =>
  `update personal_keys set revoked_at = now() where user_id = (select user_id from users where name = '${name}')`
const revokeKeys = (person: { name: string }) => a.sql(revoking(person))

const readRole = async (name: string) =>
  (
    await a.sql(
      `select m.role from memberships m join users u using (user_id) join orgs o using (org_id)
       where o.name = 'acme' and u.name = $1`,
      [name],
    )
  )[0]?.role

const countKeys = async (name: string) =>
  (await a.sql('select key_id from personal_keys join users using (user_id) where name = $1', [name])).length

describe('another process', () => {
  it('rejects a key that was revoked here', async () => {
    const person = await addMember('member')
    await expectCached(person.at(b))
    const [key] = (await person.at(a).get('/user/api-keys')).body
    expect((await person.at(a).delete(`/user/api-keys/${key.id}`)).status).toBe(200)
    await untilStatus(person.at(b), 401)
  })

  it('rejects a key that the admin program revoked', async () => {
    const person = await addMember('member')
    await expectCached(person.at(a))
    await expectCached(person.at(b))
    await runAdmin(async admin => {
      const owner: KeyOwner = await requireUserOwner(admin, person.name)
      return revokeOwnerKey(admin, owner, (await person.at(a).get('/user/api-keys')).body[0].id)
    })
    await untilStatus(person.at(a), 401)
    await untilStatus(person.at(b), 401)
  })

  it('rejects a person whom the admin program deactivated', async () => {
    const person = await addMember('member')
    await expectCached(person.at(b))
    await runAdmin(admin => deactivateUser(admin, person.name))
    await untilStatus(person.at(b), 401)
  })

  it('rejects the key of a service account that was deleted, or revoked with SQL', async () => {
    const accounts = ['to-delete', 'to-revoke']
    const clients: Client[] = []
    for (const name of accounts) {
      await a.admin.post(`/service-accounts/${ORG}`, { name, privilege: 'member' })
      const { body } = await a.admin.post(`/service-accounts/${ORG}/${name}/api-keys`, { description: 'x' })
      const client = b.makeClientWith(body.key)
      await expectCached(client)
      clients.push(client)
    }
    const [deleted, revoked] = clients as [Client, Client]
    await a.admin.delete(`/service-accounts/${ORG}/to-delete`)
    await untilStatus(deleted, 401)
    await expectCached(revoked)
    await a.sql(`update service_account_keys k set revoked_at = now() from service_accounts s
      where s.service_account_id = k.service_account_id and s.name = 'to-revoke'`)
    await untilStatus(revoked, 401)
  })

  it('rejects a session that was ended here', async () => {
    const person = await addMember('member')
    const secret = await insertSession(a, person.name)
    const headers = { cookie: `${SESSION_COOKIE}=${secret}`, 'x-csrf-token': computeCsrfToken(secret) }
    const read = () => b.anonymous.call('GET', `/flows/${ORG}`, undefined, headers)
    expect((await read()).status).toBe(200)
    expect((await person.at(a).delete('/user/sessions')).body).toEqual({ ended: 1 })
    await until(async () => (await read()).status === 401)
  })

  it('applies a changed role, and a removal', async () => {
    const person = await addMember('member')
    const path = `/flows/${ORG}`
    const write = () => person.at(b).put(path, { name: `flow-of-${person.name}`, description: '' })
    expect((await write()).status).toBe(201)
    await a.admin.put(`/members/${ORG}/${person.name}`, { role: 'reader' })
    await until(async () => (await write()).status === 403)
    await a.admin.delete(`/members/${ORG}/${person.name}`)
    await untilStatus(person.at(b), 403)
  })

  it('applies changed settings of the organization', async () => {
    const person = await addMember('member')
    await expectCached(person.at(b))
    await a.sql(
      `update orgs set settings = settings || '{"allowed_addresses":["192.0.2.1"]}' where name = 'acme'`,
    )
    await untilStatus(person.at(b), 403)
    await a.sql(`update orgs set settings = settings - 'allowed_addresses' where name = 'acme'`)
    await untilStatus(person.at(b), 200)
  })

  it('does not drop callers because they were used', async () => {
    await expectCached(b.reader)
    await a.sql("update personal_keys set last_used_at = now(), last_used_from = '192.0.2.9'")
    await a.sql("update orgs set membership_events = membership_events where name = 'acme'")
    const heard: string[] = []
    const listening = await a.sql('listen caller_changes')
    expect(listening).toEqual([])
    a.owner.on('notification', ({ payload }) => heard.push(payload ?? ''))
    await a.sql('update personal_keys set last_used_at = now()')
    await a.sql("select pg_notify('caller_changes', 'last')")
    await until(() => heard.includes('last'))
    await a.sql('unlisten caller_changes')
    expect(heard).toEqual(['last'])
  })
})

describe('a process that lost its connection', () => {
  it('drops all callers when it reconnects, and receives notifications again', async () => {
    const [first, second, last] = [
      await addMember('member'),
      await addMember('member'),
      await addMember('member'),
    ]
    await expectCached(last.at(b))
    await revokeKeys(last)
    // Notifications arrive in order, so those about the new members have been read by now.
    await untilStatus(last.at(b), 401)
    await expectCached(first.at(b))
    await expectCached(second.at(b))
    // Without triggers, nobody is notified: the process learns of it only because it was away.
    await a.sql(`begin; set local session_replication_role = replica; ${revoking(first)}; commit`)
    await expectCached(first.at(b))
    const cut = await a.sql(LISTENERS.replace('select pid', 'select pid, pg_terminate_backend(pid)'))
    expect(cut).toHaveLength(2)
    await untilStatus(first.at(b), 401)
    await untilListening(2)
    await expectCached(second.at(b))
    await revokeKeys(second)
    await untilStatus(second.at(b), 401)
  })
})

describe('a process that is never notified', () => {
  it('does not let a demoted admin become admin again', async () => {
    const person = await addMember('admin')
    await expectCached(person.at(deaf), `/members/${ORG}`)
    expect((await a.admin.put(`/members/${ORG}/${person.name}`, { role: 'reader' })).status).toBe(200)
    const answer = await person.at(deaf).put(`/members/${ORG}/${person.name}`, { role: 'admin' })
    expect(answer.status).toBe(403)
    expect(await readRole(person.name)).toBe('reader')
  })

  it('does not let a member create a service account once only admins may', async () => {
    const person = await addMember('member')
    const create = (name: string) =>
      person.at(deaf).post(`/service-accounts/${ORG}`, { name, privilege: 'reader' })
    const allow = (role: string) =>
      a.sql(
        `update orgs set settings = settings || '{"service_account_creators":"${role}"}' where name = 'acme'`,
      )
    await allow('member')
    expect((await create('in-time')).status).toBe(201)
    await allow('admin')
    expect((await create('too-late')).status).toBe(403)
  })

  it('gives no key to a caller whose key the admin program revoked', async () => {
    const person = await addMember('member')
    await expectCached(person.at(deaf))
    await runAdmin(async admin => {
      const owner = await requireUserOwner(admin, person.name)
      return revokeOwnerKey(admin, owner, (await person.at(a).get('/user/api-keys')).body[0].id)
    })
    const answer = await person.at(deaf).post('/user/api-keys', { description: 'lasting' })
    expect(answer.status).toBe(401)
    expect(await countKeys(person.name)).toBe(1)
  })

  it.each(['ended', 'demoted'])(
    'does not let a session that was %s at another process change anything',
    async how => {
      const person = await addMember('admin')
      const secret = await insertSession(a, person.name)
      const headers = { cookie: `${SESSION_COOKIE}=${secret}`, 'x-csrf-token': computeCsrfToken(secret) }
      const call = (method: string, path: string, body?: unknown) =>
        deaf.anonymous.call(method, path, body, headers)
      expect((await call('GET', `/members/${ORG}`)).status).toBe(200)
      if (how === 'ended') expect((await person.at(a).delete('/user/sessions')).body).toEqual({ ended: 1 })
      else await a.admin.put(`/members/${ORG}/${person.name}`, { role: 'reader' })
      const promote = await call('PUT', `/members/${ORG}/${person.name}`, { role: 'admin' })
      const account = await call('POST', `/service-accounts/${ORG}`, {
        name: `by-${how}`,
        privilege: 'admin',
      })
      const refusal = how === 'ended' ? 401 : 403
      expect([promote.status, account.status]).toEqual([refusal, refusal])
      expect(await readRole(person.name)).toBe(how === 'ended' ? 'admin' : 'reader')
      expect((await a.admin.get(`/service-accounts/${ORG}/by-${how}`)).status).toBe(404)
    },
  )

  it.each([
    ['revoked', 401],
    ['demoted', 403],
  ])('lets a service account that was %s at another process change nothing', async (how, refusal) => {
    const name = `account-${how}`
    const path = `/service-accounts/${ORG}/${name}`
    await a.admin.post(`/service-accounts/${ORG}`, { name, privilege: 'admin' })
    const { body: made } = await a.admin.post(`${path}/api-keys`, { description: 'x' })
    const client = deaf.makeClientWith(made.key)
    await expectCached(client, `/members/${ORG}`)
    if (how === 'revoked') expect((await a.admin.delete(`${path}/api-keys/${made.id}`)).status).toBe(200)
    else expect((await a.admin.patch(path, { privilege: 'reader' })).status).toBe(200)
    const minted = await client.post(`${path}/api-keys`, { description: 'lasting' })
    const promoted = await client.patch(path, { privilege: 'admin' })
    expect([minted.status, promoted.status]).toEqual([refusal, refusal])
    expect((await a.admin.get(path)).body.privilege).toBe(how === 'revoked' ? 'admin' : 'reader')
    expect((await a.admin.get(`${path}/api-keys`)).body).toHaveLength(how === 'revoked' ? 0 : 1)
  })

  it.each([
    ['deleted', 401],
    ['narrowed', 403],
  ])('lets a CI key whose trust rule was %s at another process change nothing', async (how, refusal) => {
    const { rule, key } = await insertCiKey(`rule-${how}`)
    const environment = `cluster-${how}`
    await a.admin.put(`/environments/${ORG}`, { name: environment, type: 'K8S' })
    const client = deaf.makeClientWith(key)
    await expectCached(client)
    const allow = (digit: string) =>
      client.put(`/allowlists/${ORG}/${environment}`, {
        artifact_fingerprint: digit.repeat(64),
        artifact_name: 'postgres:17',
        description: 'kept',
      })
    expect((await allow('a')).status).toBe(201)
    if (how === 'deleted') expect((await a.admin.delete(rule)).status).toBe(200)
    else await a.sql(`update trust_rules set privilege = 'reader' where name = 'rule-${how}'`)
    expect((await allow('b')).status).toBe(refusal)
    expect(await a.sql('select from allow_list where fingerprint = $1', ['b'.repeat(64)])).toEqual([])
  })
})

/** A key as stored by a token exchange, with the role member. */
async function insertCiKey(name: string): Promise<{ rule: string; key: string }> {
  const { key } = systemSecrets.createToken('ci')
  await a.sql(
    `with rule as (
       insert into trust_rules (org_id, rule_id, name, description, issuer, audience, claims, privilege, operations,
                                created_by, created_at, last_modified_at)
       select org_id, gen_random_uuid(), $2, '', 'https://ci.example', 'x', '{}', 'member', '{read,report,attest,administer}', 'x',
              now(), now()
       from orgs where name = $1
       returning org_id, rule_id
     )
     insert into ci_keys (org_id, key_id, rule_id, secret_hash, subject, token_hash, created_at, expires_at)
     select org_id, gen_random_uuid(), rule_id, decode($3, 'hex'), '', decode(md5($2), 'hex'), $4::timestamptz,
            $4::timestamptz + interval '1 hour'
     from rule`,
    [ORG, name, hashSecret(key), a.clock.now()],
  )
  return { rule: `/trust-rules/${ORG}/${name}`, key }
}
