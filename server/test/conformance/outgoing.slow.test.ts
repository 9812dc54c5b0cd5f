// Section 6: where messages may and may not be sent, seen from outside: addresses are saved through the API, the
// running worker sends, a name server resolves names, and a canary listens at a forbidden address.

import { type DnsServer, startDnsServer } from '@waybill/testing/dns-server'
import { type Receiver, startReceiver } from '@waybill/testing/receivers'
import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addTarget } from '../deliveries.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { until } from '../patience.ts'

const CONFIG = '/notification-config/acme/api_key_expiry'
/** Represents a public receiver, and is the only allowed address. The same port of 127.0.0.1 is internal. */
const OUTSIDE = '127.0.0.2'
const INSIDE = '127.0.0.1'
const REFUSED = 'The address is not one that messages may be sent to'
const LED_INSIDE = 'The host name leads to an address that messages may not be sent to'
const TYPES = ['WEBHOOK', 'CHAT'] as const

let app: TestApp
let dns: DnsServer
let sink: HttpsSink
let canary: Receiver
beforeAll(async () => {
  dns = await startDnsServer()
  sink = await startHttpsSink({ address: OUTSIDE, names: [OUTSIDE, 'hooks.example'] })
  canary = await startReceiver({ address: INSIDE, port: sink.port })
  app = await startTestApp({
    trusted_ca: sink.ca_pem,
    settings: {
      WAYBILL_ROLE: 'all',
      WAYBILL_EGRESS_ALLOW: OUTSIDE,
      WAYBILL_DNS_SERVER: dns.address,
      WAYBILL_RETRY_SCHEDULE: '0',
    },
  })
})
beforeEach(() => {
  dns.queries.length = 0
  dns.names = {}
  sink.requests.length = 0
})
afterEach(expectNoRequestInside)
afterAll(async () => {
  // First stop whatever a message might wait for.
  await canary.stop()
  await app.stop()
  await Promise.all([dns.stop(), sink.stop()])
})

function expectNoRequestInside(): void {
  expect(canary.connections, 'nobody ever connects to what lies inside').toBe(0)
}

const buildUrl = (host: string) => `https://${host}:${sink.port}/secret-path`
const buildTarget = (type: string, host: string) => ({ type, webhook: buildUrl(host) })
const save = (...targets: object[]) => app.admin.put(CONFIG, { targets })

async function expectNotSaved(host: string): Promise<void> {
  for (const type of TYPES) {
    const { status, body } = await save(buildTarget(type, host))
    expect([host, status, Object.keys(body.errors ?? {})]).toEqual([host, 400, ['targets[0].webhook']])
  }
}

/** Inserts webhooks that the API would reject, as if they had been saved long ago. */
async function insertWebhooks(...hosts: string[]): Promise<void> {
  await app.admin.delete(CONFIG)
  for (const host of hosts) await addTarget(app, { notification_id: null, webhook: buildUrl(host) })
}

/** Sends a test message to every configured target; returns the results in order. */
async function send(): Promise<string[]> {
  const { deliveries } = (await app.admin.post(`${CONFIG}/test`)).body
  const read = async (id: string) => (await app.admin.get(`/notification-deliveries/acme/${id}`)).body
  const became: string[] = []
  for (const id of deliveries) {
    await until(async () => {
      expectNoRequestInside()
      return (await read(id)).status !== 'pending'
    })
    const { status, error } = await read(id)
    became.push(error ?? status)
  }
  return became
}

/** Any name can be saved; its address is checked when a message is sent. */
async function sendTo(...targets: object[]): Promise<string[]> {
  expect((await save(...targets)).status).toBe(201)
  return send()
}

describe('an address', () => {
  it('is checked before each send, even if it was saved', async () => {
    const inside = [INSIDE, '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0', '10.0.0.1']
    await insertWebhooks(...inside)
    expect(await send()).toEqual(inside.map(() => REFUSED))
    await insertWebhooks(OUTSIDE)
    expect(await send()).toEqual(['delivered'])
    expect(sink.requests).toHaveLength(1)
    expect(dns.queries).toEqual([])
  })

  it.each<[string, string[], string[]]>([
    ['of loopback', ['127.0.0.1', '127.255.255.254', '[::1]'], ['127.0.0.1', '::1']],
    ['of 10.0.0.0/8', ['10.0.0.0', '10.96.0.1', '10.255.255.255'], ['10.0.0.0', '10.255.255.255']],
    ['of 172.16.0.0/12', ['172.16.0.0', '172.24.8.8', '172.31.255.255'], ['172.16.0.0', '172.31.255.255']],
    [
      'of 192.168.0.0/16',
      ['192.168.0.0', '192.168.1.1', '192.168.255.255'],
      ['192.168.0.0', '192.168.255.255'],
    ],
    [
      'where a cloud gives its metadata',
      ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '[fd00:ec2::254]'],
      ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254'],
    ],
  ])('%s is not saved, and not sent to through a name', async (_what, hosts, addresses) => {
    for (const host of hosts) await expectNotSaved(host)
    for (const [i, address] of addresses.entries()) dns.names[`hooks-${i}.example`] = () => [address]
    const targets = addresses.map((_, i) => buildTarget('WEBHOOK', `hooks-${i}.example`))
    expect(await sendTo(...targets)).toEqual(addresses.map(() => LED_INSIDE))
  })

  it('with the name of a cloud metadata service is not saved', async () => {
    for (const host of ['metadata.google.internal', 'metadata.goog', 'metadata.tencentyun.com']) {
      await expectNotSaved(host)
    }
  })

  it('with the name of a service inside a cluster is neither saved nor sent to', async () => {
    const hosts = ['orders', 'kubernetes.default', 'orders.shop.svc', 'db.internal']
    hosts.push('orders.shop.svc.cluster.local', 'vault.service.consul')
    for (const host of hosts) await expectNotSaved(host)
    await insertWebhooks(...hosts)
    expect(await send()).toEqual(hosts.map(() => REFUSED))
    expect(dns.queries).toEqual([])
  })
})

describe('a name', () => {
  it('is resolved again for each send, and only once per send', async () => {
    for (let round = 0; round < 3; round++) {
      let asked = 0
      dns.queries.length = 0
      dns.names['hooks.example'] = type => (type === 'AAAA' ? [] : [asked++ === 0 ? OUTSIDE : INSIDE])
      expect(await sendTo(buildTarget('WEBHOOK', 'hooks.example'))).toEqual(['delivered'])
      expect(dns.queries.toSorted()).toEqual(['A hooks.example', 'AAAA hooks.example'])
      expect(await send()).toEqual([LED_INSIDE])
    }
    expect(sink.requests).toHaveLength(3)
  })

  it.each<[string, string[]]>([
    ['loopback', [INSIDE]],
    ['loopback of IPv6', ['::1']],
    ['a private network', ['10.0.0.1']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['nowhere', ['0.0.0.0']],
    ['loopback, as IPv6 maps it', [`::ffff:${INSIDE}`]],
    ['loopback, behind NAT64', ['64:ff9b::7f00:1']],
    ['loopback, after a good address', [OUTSIDE, INSIDE]],
    ['loopback, before a good address', [INSIDE, OUTSIDE]],
    ['loopback of IPv6, beside a good address', [OUTSIDE, '::1']],
  ])('that leads to an internal address is not sent to: %s', async (_what, addresses) => {
    dns.names['hooks.example'] = () => addresses
    const targets = TYPES.map(type => buildTarget(type, 'hooks.example'))
    expect(await sendTo(...targets)).toEqual([LED_INSIDE, LED_INSIDE])
    expect(sink.requests).toEqual([])
  })

  it('that resolves to an internal address through another name is not sent to', async () => {
    dns.names['hooks.example'] = () => ({ cname: 'elsewhere.example', addresses: [INSIDE] })
    const targets = TYPES.map(type => buildTarget(type, 'hooks.example'))
    expect(await sendTo(...targets)).toEqual([LED_INSIDE, LED_INSIDE])
  })
})
