// Notices before API keys of service accounts expire: who is notified, when and how often, as read from the outbox.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setEmail } from './browser.ts'
import { makeExpiringKeys } from './expiring-keys.ts'
import { type Client, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'

const DAY_S = 86_400
const NO_ADDRESS = 'No recipient has a mail address'
const ALL_OFF = 'Every target is switched off'

let app: TestApp
/** The only person with an address, unless a test adds one. */
let eva: Client
const {
  clear,
  scan,
  passDays,
  addDays,
  createAccountKey,
  configure,
  readSent,
  listSentSummaries,
  readFailure,
} = makeExpiringKeys(() => app)
beforeAll(async () => {
  app = await startTestApp()
  eva = await addPerson(app, 'eva', 'admin')
})
beforeEach(clear)
afterAll(() => app.stop())

describe('a key of a service account', () => {
  it('is announced once each to the admins with an address and to its creator', async () => {
    await setEmail(app, 'max', 'max@example.com')
    await setEmail(app, 'rita', 'rita@example.com')
    await createAccountKey(app.member, 'robot', 60)
    await createAccountKey(eva, 'tool', 60)
    passDays(46)
    await scan()
    expect(await listSentSummaries()).toEqual([
      ['eva@example.com', 'robot first', 'tool first'],
      ['max@example.com', 'robot first'],
    ])
  })

  it('is announced with all its details', async () => {
    await createAccountKey(app.member, 'robot', 60)
    passDays(50)
    const [key] = await app.sql(
      `update service_account_keys set last_used_at = expires_at - interval '11 days' returning hint, expires_at`,
    )
    await scan()
    const expires_at = Number(key?.expires_at) / 1000
    const [message] = await app.sql('select * from outbox')
    expect(message).toMatchObject({
      kind: 'delivery',
      event_type: 'API_KEY_EXPIRY',
      notification_type: 'api_key_expiry',
      notification_id: null,
      target_id: null,
      due_at: app.clock.now(),
      payload: {
        to: 'eva@example.com',
        notice: {
          about: 'api_keys',
          event_type: 'API_KEY_EXPIRY',
          org: 'acme',
          happened_at: app.clock.now().getTime() / 1000,
          keys: [
            {
              owner: 'robot',
              is_personal: false,
              description: 'key of robot',
              hint: key?.hint,
              expires_at,
              last_used_at: expires_at - 11 * DAY_S,
              notice: 'first',
            },
          ],
        },
      },
    })
  })

  it('gets two notices in its lifetime, however often scans run', async () => {
    await createAccountKey(app.member, 'robot', 20)
    const seen: string[] = []
    for (let day = 0; day < 22; day++) {
      await scan()
      await scan()
      for (const [, ...keys] of await listSentSummaries()) seen.push(`day ${day}: ${keys}`)
      await app.sql('delete from outbox')
      passDays(1)
    }
    expect(seen).toEqual(['day 6: robot first', 'day 17: robot last'])
  })

  it('that was missed until three days before gets only the last notice', async () => {
    await createAccountKey(app.member, 'robot', 30)
    passDays(28)
    await scan()
    await scan()
    expect(await listSentSummaries()).toEqual([['eva@example.com', 'robot last']])
  })

  it('that lives for less than two weeks gets only the last notice', async () => {
    await createAccountKey(app.member, 'robot', 13)
    await scan()
    expect(await listSentSummaries()).toEqual([])
    passDays(10)
    await scan()
    expect(await listSentSummaries()).toEqual([['eva@example.com', 'robot last']])
  })

  it('is not announced when it never expires, has expired, expires later, was revoked or has no owner', async () => {
    await createAccountKey(app.member, 'eternal')
    await createAccountKey(app.member, 'ended', 10)
    await createAccountKey(app.member, 'later', 60)
    const revoked = await createAccountKey(app.member, 'revoked', 30)
    await createAccountKey(app.member, 'deleted', 30)
    passDays(20)
    expect((await app.member.delete(revoked)).status).toBe(200)
    expect((await app.member.delete('/service-accounts/acme/deleted')).status).toBe(200)
    await app.sql("update service_account_keys set revoked_at = null where description = 'key of deleted'")
    await scan()
    expect(await listSentSummaries()).toEqual([])
  })

  it('that was rotated is no longer announced, and the new one gets its own notices', async () => {
    const path = await createAccountKey(app.member, 'robot', 30)
    passDays(20)
    await scan()
    expect(await listSentSummaries()).toEqual([['eva@example.com', 'robot first']])
    const rotated = await app.member.post(`${path}/rotate`, {
      grace_period_hours: 48,
      expires_at: addDays(15),
    })
    expect(rotated.status).toBe(201)
    await app.sql('delete from outbox')
    await scan()
    expect(await listSentSummaries()).toEqual([])
    passDays(1)
    await scan()
    expect(await listSentSummaries()).toEqual([['eva@example.com', 'robot first']])
  })

  it('is announced in an organization that is scheduled for deletion', async () => {
    await createAccountKey(app.member, 'robot', 30)
    passDays(20)
    await app.sql("update orgs set delete_requested_at = $1, delete_after = $1 where name = 'acme'", [
      app.clock.now(),
    ])
    await scan()
    await app.sql('update orgs set delete_requested_at = null, delete_after = null')
    expect(await listSentSummaries()).toEqual([['eva@example.com', 'robot first']])
  })

  it('shares one message with the others, sorted by expiry', async () => {
    await createAccountKey(app.member, 'zebra', 25)
    await createAccountKey(app.member, 'cow', 22)
    await createAccountKey(app.member, 'ape', 25)
    passDays(20)
    await scan()
    expect(await listSentSummaries()).toEqual([['eva@example.com', 'cow last', 'ape first', 'zebra first']])
  })

  it('is not announced to a creator who has left, was deactivated or has no address', async () => {
    await setEmail(app, 'sam', 'sam@example.com')
    const lea = await addPerson(app, 'lea', 'snapshotter')
    await createAccountKey(lea, 'of-lea', 30)
    await createAccountKey(app.snapshotter, 'of-sam', 30)
    await createAccountKey(app.member, 'of-max', 30)
    passDays(20)
    expect((await app.admin.delete('/members/acme/lea')).status).toBe(200)
    await app.sql("update users set deactivated_at = $1 where name = 'sam'", [app.clock.now()])
    await scan()
    expect(await listSentSummaries()).toEqual([
      ['eva@example.com', 'of-lea first', 'of-max first', 'of-sam first'],
    ])
  })
})

describe('configured targets', () => {
  it('are notified instead of people, with one message each', async () => {
    await setEmail(app, 'max', 'max@example.com')
    const targets = await configure(false, false, true)
    await createAccountKey(app.member, 'robot', 30)
    await createAccountKey(app.member, 'tool', 30)
    passDays(20)
    await scan()
    await scan()
    const working = targets.slice(0, 2).sort()
    expect(await listSentSummaries()).toEqual(working.map(id => [id, 'robot first', 'tool first']))
    expect((await readSent())[0]).toMatchObject({
      notification_type: 'api_key_expiry',
      to: null,
      org: 'acme',
    })
    expect(await readFailure()).toBeUndefined()
  })

  it('that were removed no longer replace the people', async () => {
    const [target] = await configure(false)
    await createAccountKey(app.member, 'robot', 30)
    passDays(20)
    await scan()
    await app.sql('update notification_targets set removed_at = $1', [app.clock.now()])
    passDays(7)
    await scan()
    expect(await listSentSummaries()).toEqual([
      ['eva@example.com', 'robot last'],
      [target, 'robot first'],
    ])
  })

  it('that are all switched off are recorded as a failure, and retried', async () => {
    const [target] = await configure(true)
    await createAccountKey(app.member, 'robot', 30)
    passDays(20)
    await scan()
    expect(await listSentSummaries()).toEqual([])
    expect(await readFailure()).toEqual({ last_failed_at: app.clock.now(), last_error: ALL_OFF })
    await app.sql('update notification_targets set switched_off_at = null')
    await scan()
    expect(await listSentSummaries()).toEqual([[target, 'robot first']])
  })
})

describe('nobody with an address', () => {
  beforeEach(() => app.sql('update users set email = null'))

  it('is recorded as a failure, and retried until somebody has an address', async () => {
    await createAccountKey(app.member, 'robot', 30)
    passDays(20)
    await scan()
    expect(await readFailure()).toEqual({ last_failed_at: app.clock.now(), last_error: NO_ADDRESS })
    passDays(1)
    await scan()
    expect(await readFailure()).toEqual({ last_failed_at: app.clock.now(), last_error: NO_ADDRESS })
    expect(await app.sql('select * from outbox')).toEqual([])
    await setEmail(app, 'ada', 'ada@example.com')
    await scan()
    expect(await listSentSummaries()).toEqual([['ada@example.com', 'robot first']])
  })

  it('delays only the keys with nobody to notify', async () => {
    await createAccountKey(app.member, 'of-max', 30)
    await createAccountKey(app.snapshotter, 'of-sam', 30)
    await setEmail(app, 'max', 'max@example.com')
    passDays(20)
    await scan()
    expect(await listSentSummaries()).toEqual([['max@example.com', 'of-max first']])
    expect(await readFailure()).toMatchObject({ last_error: NO_ADDRESS })
    await setEmail(app, 'eva', 'eva@example.com')
    await scan()
    expect(await listSentSummaries()).toEqual([
      ['eva@example.com', 'of-sam first'],
      ['max@example.com', 'of-max first'],
    ])
  })
})
