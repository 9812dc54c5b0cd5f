// Claiming mail domains and proving them with a DNS server of the test.

import { type DnsServer, startDnsServer } from '@waybill/testing/dns-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ORG, OTHER_ORG, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeIds } from '../../lib/ids.ts'
import { makeLog } from '../../lib/log.ts'
import { recheckDomains } from './recheck.ts'

const DAY_MS = 86_400_000

let app: TestApp
let dns: DnsServer
let domain: string
beforeAll(async () => {
  dns = await startDnsServer()
  app = await startTestApp({ settings: { WAYBILL_DNS_SERVER: dns.address } })
})
afterAll(async () => {
  await app.stop()
  await dns.stop()
})
let tested = 0
beforeEach(() => {
  domain = `d${tested++}.example`
})

const toRecordName = (claimed: string) => `_waybill-challenge.${claimed}`
const publish = (...values: string[]) => {
  dns.names[toRecordName(domain)] = () => values
}
const claim = async (client = app.admin, org = ORG) =>
  (await client.put(`/mail-domains/${org}/${domain}`)).body
const check = async (client = app.admin, org = ORG) =>
  (await client.post(`/mail-domains/${org}/${domain}/check`)).body
/** The hourly job of the running service. */
const recheck = () => {
  const { db, clock } = app
  const readTxt = async (name: string) => {
    const answer = dns.names[name]?.('TXT') ?? []
    return Array.isArray(answer) ? answer : undefined
  }
  return recheckDomains({ db, ids: makeIds(clock), clock, log: makeLog('silent'), readTxt })
}

describe('claiming', () => {
  it('returns the record to create, and the same one again', async () => {
    const made = await app.admin.put(`/mail-domains/${ORG}/Mail.${domain}.`)
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      domain: `mail.${domain}`,
      state: 'unproved',
      record_type: 'TXT',
      record_name: toRecordName(`mail.${domain}`),
      record_value: expect.stringMatching(/^waybill-domain=[0-9a-f-]{32}$/),
      problem: null,
      created_by: 'ada',
      created_at: app.clock.now().getTime() / 1000,
      checked_at: null,
      proved_at: null,
    })
    const again = await app.admin.put(`/mail-domains/${ORG}/mail.${domain}`)
    expect([again.status, again.body]).toEqual([200, made.body])
    expect((await app.admin.get(`/mail-domains/${ORG}`)).body).toContainEqual(made.body)
  })

  it('gives every organization a different value, without revealing other claims', async () => {
    const own = await claim()
    const theirs = await claim(app.outsider, OTHER_ORG)
    expect(theirs.record_value).not.toBe(own.record_value)
    expect(theirs.state).toBe('unproved')
  })

  it.each(['localhost', '10.0.0.1', 'a..b', '-a.example', 'a b.example', `${'x'.repeat(64)}.example`])(
    'refuses %s',
    async name => {
      const answer = await app.admin.put(`/mail-domains/${ORG}/${encodeURIComponent(name)}`)
      expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([400, ['domain']])
    },
  )

  it('refuses a personal organization', async () => {
    expect((await app.admin.put(`/mail-domains/ada/${domain}`)).status).toBe(400)
  })
})

describe('checking', () => {
  it('proves the domain once its record exists', async () => {
    const { record_value } = await claim()
    expect(await check()).toMatchObject({
      state: 'unproved',
      problem: 'There is no TXT record at this name yet',
    })
    publish('v=spf1 -all', record_value)
    expect(await check()).toMatchObject({
      state: 'proved',
      problem: null,
      proved_at: app.clock.now().getTime() / 1000,
    })
    expect(dns.queries.at(-1)).toBe(`TXT ${toRecordName(domain)}`)
    expect((await app.readEvents('mail_domain_proved')).at(-1)).toMatchObject({
      actor: 'ada',
      data: { domain },
    })
  })

  it.each(['SERVFAIL', 'silence'] as const)(
    'proves nothing while name servers answer with %s',
    async answer => {
      const limits = { egress: { resolve_ms: 300, connect_ms: 300, total_ms: 300 } }
      const brief = await startTestApp({ settings: { WAYBILL_DNS_SERVER: dns.address }, time_limits: limits })
      try {
        await claim(brief.admin)
        dns.names[toRecordName(domain)] = () => answer
        expect(await check(brief.admin)).toMatchObject({
          state: 'unproved',
          problem: 'The name servers did not answer; try again later',
        })
      } finally {
        await brief.stop()
      }
    },
  )

  it('does not accept the record of another organization', async () => {
    await claim()
    const theirs = await claim(app.outsider, OTHER_ORG)
    publish(theirs.record_value)
    expect(await check()).toMatchObject({
      state: 'unproved',
      problem: 'The TXT record at this name has another value',
    })
  })

  it('is done once per Idempotency-Key', async () => {
    await claim()
    const elsewhere = `other.${domain}`
    await app.admin.put(`/mail-domains/${ORG}/${elsewhere}`)
    const checkUnder = (key: string, name: string) =>
      app.admin.call('POST', `/mail-domains/${ORG}/${name}/check`, undefined, { 'idempotency-key': key })
    const first = await checkUnder(domain, domain)
    const events = (await app.readEvents()).length
    const again = await checkUnder(domain, domain)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect((await checkUnder(domain, elsewhere)).status).toBe(422)
    expect(await app.readEvents()).toHaveLength(events)
    expect((await checkUnder(elsewhere, elsewhere)).status).toBe(200)
    expect(await app.readEvents()).toHaveLength(events + 1)
  })

  it('returns 404 for a domain that the organization does not claim', async () => {
    expect((await app.admin.post(`/mail-domains/${ORG}/${domain}/check`)).status).toBe(404)
    expect((await app.admin.delete(`/mail-domains/${ORG}/${domain}`)).status).toBe(404)
  })
})

describe('a domain belongs to one organization', () => {
  it('and stays with it while its record exists', async () => {
    const [own, theirs] = [await claim(), await claim(app.outsider, OTHER_ORG)]
    publish(own.record_value, theirs.record_value)
    expect((await check()).state).toBe('proved')
    expect(await check(app.outsider, OTHER_ORG)).toMatchObject({
      state: 'unproved',
      problem: expect.stringContaining('another organization'),
    })
    expect((await check()).state).toBe('proved')
  })

  it('and moves when only the other record is left', async () => {
    const [own, theirs] = [await claim(), await claim(app.outsider, OTHER_ORG)]
    publish(own.record_value)
    expect((await check()).state).toBe('proved')
    publish(theirs.record_value)
    expect((await check(app.outsider, OTHER_ORG)).state).toBe('proved')
    expect((await check()).state).toBe('unproved')
    expect((await app.readEvents('mail_domain_lost')).at(-1)).toMatchObject({
      actor: 'waybill',
      data: { domain },
    })
  })

  it('also when two organizations check concurrently', async () => {
    const [own, theirs] = [await claim(), await claim(app.outsider, OTHER_ORG)]
    publish(own.record_value, theirs.record_value)
    const answers = await Promise.all([
      app.admin.post(`/mail-domains/${ORG}/${domain}/check`),
      app.outsider.post(`/mail-domains/${OTHER_ORG}/${domain}/check`),
    ])
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const proved = await app.sql('select 1 from mail_domains where domain = $1 and proved_at is not null', [
      domain,
    ])
    expect(proved).toHaveLength(1)
  })

  it('until that organization releases it', async () => {
    const [own, theirs] = [await claim(), await claim(app.outsider, OTHER_ORG)]
    publish(own.record_value, theirs.record_value)
    expect((await check()).state).toBe('proved')
    expect((await app.admin.delete(`/mail-domains/${ORG}/${domain}`)).status).toBe(200)
    expect((await check(app.outsider, OTHER_ORG)).state).toBe('proved')
  })
})

describe('checking again', () => {
  it('keeps the proof for seven days without the record, and then ends it', async () => {
    publish((await claim()).record_value)
    expect((await check()).state).toBe('proved')
    dns.names[toRecordName(domain)] = () => []
    const state = async () =>
      (await app.admin.get(`/mail-domains/${ORG}`)).body.find(
        (one: { domain: string }) => one.domain === domain,
      ).state
    for (let day = 1; day <= 7; day++) {
      app.clock.advance(DAY_MS)
      await recheck()
      // In the first round, the latest check was less than a day ago.
      expect([day, await state()]).toEqual([day, day === 1 ? 'proved' : 'failing'])
    }
    app.clock.advance(2 * DAY_MS)
    await recheck()
    expect(await state()).toBe('unproved')
    expect((await app.readEvents('mail_domain_lost')).at(-1)).toMatchObject({
      actor: 'waybill',
      data: { domain },
    })
  })
})

describe('403', () => {
  it('lets only admins see, claim, check and release domains', async () => {
    await claim()
    const path = `/mail-domains/${ORG}/${domain}`
    for (const client of [app.member, app.snapshotter, app.reader]) {
      for (const { status } of [
        await client.get(`/mail-domains/${ORG}`),
        await client.put(path),
        await client.post(`${path}/check`),
        await client.delete(path),
      ]) {
        expect(status).toBe(403)
      }
    }
  })
})
