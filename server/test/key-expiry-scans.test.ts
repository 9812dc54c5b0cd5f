// Notices before personal API keys expire, and scans that run at the same time, die or fail for one owner.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../src/db/database.ts'
import { startExpiryScans } from '../src/notifications/key-expiry.ts'
import { setEmail } from './browser.ts'
import { makeExpiringKeys, makeScanParts } from './expiring-keys.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { until } from './patience.ts'
import { addPerson } from './people.ts'
import { makeStatementLog } from './statement-log.ts'

const EVERY_S = 0.05

let app: TestApp
const {
  clear,
  scan,
  passDays,
  addDays,
  createAccountKey,
  createOwnKey,
  configure,
  readSent,
  listSentSummaries,
} = makeExpiringKeys(() => app)
beforeAll(async () => {
  app = await startTestApp()
  await addPerson(app, 'eva', 'admin')
})
beforeEach(clear)
afterAll(() => app.stop())

describe('a key of a person', () => {
  it('is announced to its owner only, in their personal organization, whatever is configured', async () => {
    await configure(false)
    await setEmail(app, 'max', 'max@example.com')
    await app.member.post('/organizations', { name: 'unrelated' })
    await createOwnKey(app.member, 'later', 25)
    await createOwnKey(app.member, 'sooner', 22)
    passDays(20)
    await scan()
    await scan()
    const messages = await readSent()
    const [own] = await app.sql(
      `select o.name from orgs o join memberships m on m.org_id = o.org_id join users u on u.user_id = m.user_id
       where o.kind = 'personal' and u.name = 'max'`,
    )
    expect(messages).toMatchObject([
      { org: own?.name, notification_type: null, target_id: null, to: 'max@example.com' },
    ])
    expect(messages[0]?.keys).toMatchObject([
      { owner: 'max', is_personal: true, description: 'sooner', notice: 'last' },
      { owner: 'max', is_personal: true, description: 'later', notice: 'first' },
    ])
  })

  it('is announced privately when its owner has no personal organization', async () => {
    await setEmail(app, 'rita', 'rita@example.com')
    const [rita] = await app.sql("select user_id from users where name = 'rita'")
    const left = await app.sql(
      `delete from memberships where user_id = $1 and org_id in (select org_id from orgs where kind = 'personal')
       returning org_id`,
      [rita?.user_id],
    )
    await createOwnKey(app.reader, 'mine', 30)
    passDays(20)
    await scan()
    const [message] = await app.sql('select org_id, payload from outbox')
    for (const { org_id } of left) {
      await app.sql("insert into memberships values ($1, $2, 'admin', $3)", [
        org_id,
        rita?.user_id,
        app.clock.now(),
      ])
    }
    expect(message).toMatchObject({
      org_id: rita?.user_id,
      payload: { to: 'rita@example.com', notice: { org: 'rita' } },
    })
  })

  it('is not announced while its owner has no address or is deactivated', async () => {
    await createOwnKey(app.member, 'mine', 30)
    passDays(20)
    await scan()
    await app.sql("update users set email = 'max@example.com', deactivated_at = $1 where name = 'max'", [
      app.clock.now(),
    ])
    await scan()
    expect(await listSentSummaries()).toEqual([])
    await app.sql("update users set deactivated_at = null where name = 'max'")
    await scan()
    expect(await listSentSummaries()).toEqual([['max@example.com', 'max first']])
  })

  it('gets two notices, and none after it was rotated or revoked', async () => {
    await setEmail(app, 'max', 'max@example.com')
    const rotated = await createOwnKey(app.member, 'rotated', 30)
    const revoked = await createOwnKey(app.member, 'revoked', 30)
    await createOwnKey(app.member, 'kept', 30)
    expect((await app.member.post(`${rotated}/rotate`, { expires_at: 0 })).status).toBe(201)
    expect((await app.member.delete(revoked)).status).toBe(200)
    passDays(20)
    await scan()
    passDays(8)
    await scan()
    const keys = (await readSent()).flatMap(message => message.keys)
    expect(keys.map(({ description, notice }) => `${description} ${notice}`)).toEqual([
      'kept first',
      'kept last',
    ])
  })
})

describe('scans', () => {
  it('that run at the same time announce everything once', async () => {
    await setEmail(app, 'max', 'max@example.com')
    for (const account of ['a', 'b', 'c', 'd']) await createAccountKey(app.member, account, 30)
    for (const description of ['one', 'two', 'three']) await createOwnKey(app.member, description, 30)
    passDays(20)
    await Promise.all(Array.from({ length: 8 }, () => scan()))
    const all = ['a first', 'b first', 'c first', 'd first']
    expect(await listSentSummaries()).toEqual([
      ['eva@example.com', ...all],
      ['max@example.com', ...all],
      ['max@example.com', 'max first', 'max first', 'max first'],
    ])
  })

  it('skip a key that is being changed, without waiting, and leave it to the next scan', async () => {
    await setEmail(app, 'max', 'max@example.com')
    for (const account of ['changing', 'quiet']) await createAccountKey(app.member, account, 30)
    for (const description of ['changing', 'quiet']) await createOwnKey(app.member, description, 30)
    passDays(20)
    await app.sql('begin')
    await app.sql("update service_account_keys set hint = hint where description = 'key of changing'")
    await app.sql("update personal_keys set hint = hint where description = 'changing'")
    await scan()
    await app.sql('rollback')
    const described = async () =>
      (await readSent()).map(({ to, keys }) => [to, ...keys.map(({ description }) => description)])
    const first = [
      ['eva@example.com', 'key of quiet'],
      ['max@example.com', 'key of quiet'],
      ['max@example.com', 'quiet'],
    ]
    expect(await described()).toEqual(first)
    await app.sql('delete from outbox')
    await scan()
    expect(await described()).toEqual(
      first.map(message => message.map(word => word?.replace('quiet', 'changing'))),
    )
  })

  it('that die before the commit leave everything to the next scan', async () => {
    await setEmail(app, 'max', 'max@example.com')
    await createAccountKey(app.member, 'robot', 30)
    await createOwnKey(app.member, 'mine', 30)
    passDays(20)
    const dying: Database = {
      ...app.db,
      withTransaction: (scope, work) =>
        app.db.withTransaction(scope, async tx => {
          await work(tx)
          throw new Error('killed')
        }),
    }
    await scan(dying)
    expect(await listSentSummaries()).toEqual([])
    await scan()
    expect(await listSentSummaries()).toHaveLength(3)
  })

  it('continue with other organizations when one fails', async () => {
    const [other] = await app.sql("select org_id from orgs where name = 'other-corp'")
    await setEmail(app, 'oscar', 'oscar@example.com')
    await createAccountKey(app.member, 'robot', 30)
    await app.outsider.post('/service-accounts/other-corp', { name: 'bot' })
    const key = { description: 'key of bot', expires_at: addDays(30) }
    await app.outsider.post('/service-accounts/other-corp/bot/api-keys', key)
    passDays(20)
    for (const spared of ['eva@example.com', 'oscar@example.com']) {
      await app.sql('delete from outbox')
      await app.sql('update service_account_keys set expiry_notice = null')
      const halfBroken: Database = {
        ...app.db,
        withTransaction: (scope, work) => {
          const isOther = scope.org_id === other?.org_id
          if (isOther !== (spared === 'oscar@example.com')) throw new Error('broken')
          return app.db.withTransaction(scope, work)
        },
      }
      await scan(halfBroken)
      expect((await readSent()).map(({ to }) => to)).toEqual([spared])
    }
  })

  it('start immediately, repeat, and end when stopped', async () => {
    await createAccountKey(app.member, 'robot', 30)
    passDays(20)
    const sent = makeStatementLog()
    const scans = sent.during(() => startExpiryScans(makeScanParts(app, app.db), EVERY_S))
    await until(async () => (await listSentSummaries()).length === 1)
    await createAccountKey(app.member, 'tool', 30)
    passDays(20)
    await until(async () => (await listSentSummaries()).length === 2)
    await scans.stop()
    const { length } = sent.statements
    await createAccountKey(app.member, 'third', 30)
    passDays(20)
    // Other scans repeat several times; the stopped ones do not.
    const others = makeStatementLog()
    const running = others.during(() => startExpiryScans(makeScanParts(app, app.db), EVERY_S))
    await until(() => others.countOf('key_expiry.expiring_owners') > 5)
    await running.stop()
    expect(await listSentSummaries()).toHaveLength(3)
    expect(sent.statements).toHaveLength(length)
    // Stopping twice is harmless.
    await scans.stop()
  })
})
