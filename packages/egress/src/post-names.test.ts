import { type DnsServer, startDnsServer } from '@waybill/testing/dns-server'
import { PATIENCE_MS } from '@waybill/testing/patience'
import { type Receiver, startReceiver } from '@waybill/testing/receivers'
import { type HttpsSink, makeTestCa, startHttpsSink, type TestCa } from '@waybill/testing/tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EgressParts, makeEgress } from './make.ts'
import { PATIENT_EGRESS, systemClock } from './patient.testing.ts'

const MESSAGE = { headers: {}, body: 'payload' }
/**
 * Represents a public receiver: the only allowed address. The same port of 127.0.0.1 represents the private network.
 */
const OUTSIDE = '127.0.0.2'
const INSIDE = '127.0.0.1'

let ca: TestCa
let dns: DnsServer
let sink: HttpsSink
let canary: Receiver
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  ca = await makeTestCa()
  dns = await startDnsServer()
  sink = await startHttpsSink({ ca, address: OUTSIDE })
  canary = await startReceiver({ address: INSIDE, port: sink.port })
})
beforeEach(() => {
  dns.queries.length = 0
  dns.names = {}
  sink.requests.length = 0
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  expect(canary.connections, 'nobody ever connects to the private network').toBe(0)
})
afterAll(async () => {
  await Promise.all([dns.stop(), sink.stop(), canary.stop()])
})

const refusals: string[][] = []
async function post(host: string, parts: Partial<EgressParts> = {}) {
  const egress = makeEgress({
    allow: [OUTSIDE],
    dns_server: dns.address,
    operator_hosts: [],
    user_agent: 'waybill',
    clock: systemClock,
    trusted_ca: ca.ca_pem,
    limits: PATIENT_EGRESS,
    onRefused: (...refusal) => void refusals.push(refusal),
    ...parts,
  })
  const posted = await egress.post(`https://${host}:${sink.port}/secret-path`, MESSAGE)
  return posted.reached ? posted.status : posted.reason
}

describe('a name with a public address', () => {
  it('is reached under its name', async () => {
    dns.names['hooks.example'] = () => [OUTSIDE]
    expect(await post('Hooks.Example.')).toBe(200)
    expect(sink.requests[0]?.headers.host).toBe(`hooks.example:${sink.port}`)
    expect(dns.queries.sort()).toEqual(['A hooks.example', 'AAAA hooks.example'])
  })

  it('is reached through a CNAME, and needs a certificate for its own name', async () => {
    dns.names['hooks.example'] = () => ({ cname: 'elsewhere.example', addresses: [OUTSIDE] })
    dns.names['elsewhere.example'] = () => [OUTSIDE]
    expect(await post('hooks.example')).toBe(200)
    expect(await post('elsewhere.example')).toBe('not_trusted')
    expect(sink.requests).toHaveLength(1)
  })

  it('is reached if it has only an IPv6 address', async () => {
    const six = await startHttpsSink({ ca, address: '::1', port: sink.port })
    stops.push(six.stop)
    dns.names['hooks.example'] = type => (type === 'AAAA' ? ['::1'] : 'SERVFAIL')
    expect(await post('hooks.example', { allow: ['::1'] })).toBe(200)
    expect(six.requests).toHaveLength(1)
  })

  it('is reached at its second address if the first refuses connections or stays silent', async () => {
    const mute = await startReceiver({ address: '127.0.0.4', port: sink.port })
    stops.push(mute.stop)
    const allow = ['127.0.0.2/31', '127.0.0.4']
    dns.names['hooks.example'] = () => ['127.0.0.3', OUTSIDE]
    expect(await post('hooks.example', { allow })).toBe(200)
    dns.names['hooks.example'] = () => ['127.0.0.4', OUTSIDE]
    // The second address gets half of the time limit, which is doubled until that is enough.
    let posted: number | string = ''
    for (let connect_ms = 2_000; connect_ms < PATIENCE_MS && posted !== 200; connect_ms *= 2) {
      const tried = mute.connections
      posted = await post('hooks.example', { allow, limits: { ...PATIENT_EGRESS, connect_ms } })
      expect(mute.connections).toBe(tried + 1)
    }
    expect(posted).toBe(200)
  })

  it('is not tried at another address after its certificate was rejected', async () => {
    const other = await startHttpsSink({
      ca,
      address: '127.0.0.3',
      port: sink.port,
      names: ['other.example'],
    })
    stops.push(other.stop)
    dns.names['hooks.example'] = () => ['127.0.0.3', OUTSIDE]
    expect(await post('hooks.example', { allow: ['127.0.0.2/31'] })).toBe('not_trusted')
    expect([other.requests, sink.requests]).toEqual([[], []])
  })
})

describe('a name with a private address', () => {
  it.each<[string, string[]]>([
    ['loopback', [INSIDE]],
    ['loopback of IPv6', ['::1']],
    ['a private network', ['10.0.0.1']],
    ['cloud metadata', ['169.254.169.254']],
    ['cloud metadata over IPv6', ['fd00:ec2::254']],
    ['the unspecified address', ['0.0.0.0']],
    ['loopback, as IPv6 maps it', [`::ffff:${INSIDE}`]],
    ['loopback, behind NAT64', ['64:ff9b::7f00:1']],
    ['loopback, behind 6to4', ['2002:7f00:1::']],
    ['loopback, after a good address', [OUTSIDE, INSIDE]],
    ['loopback, before a good address', [INSIDE, OUTSIDE]],
    ['loopback of IPv6, beside a good address', [OUTSIDE, '::1']],
    ['the last of thirty-two addresses', [...Array.from({ length: 31 }, () => OUTSIDE), '10.0.0.1']],
  ])('is rejected: %s', async (_case, addresses) => {
    dns.names['hooks.example'] = () => addresses
    expect(await post('hooks.example')).toBe('inner_address')
    expect(sink.requests).toEqual([])
    expect(JSON.stringify(refusals)).not.toContain('secret-path')
  })

  it('is rejected behind a CNAME', async () => {
    dns.names['hooks.example'] = () => ({ cname: 'localhost', addresses: [INSIDE] })
    expect(await post('hooks.example')).toBe('inner_address')
  })

  it('is rejected when it changes after a send: each send resolves the name only once', async () => {
    for (let round = 0; round < 20; round++) {
      let lookups = 0
      dns.queries.length = 0
      dns.names['hooks.example'] = type => (type === 'AAAA' ? [] : [lookups++ === 0 ? OUTSIDE : INSIDE])
      expect(await post('hooks.example')).toBe(200)
      expect(dns.queries.sort()).toEqual(['A hooks.example', 'AAAA hooks.example'])
      expect(await post('hooks.example')).toBe('inner_address')
    }
    expect(sink.requests).toHaveLength(20)
  })

  it('is reported to the operator with its name and range', async () => {
    refusals.length = 0
    dns.names['hooks.example'] = () => ['10.0.0.1']
    await post('hooks.example')
    expect(refusals).toEqual([['hooks.example', 'private']])
  })

  it('is reached if the operator allows the name', async () => {
    dns.names['hooks.example'] = () => [OUTSIDE]
    expect(await post('hooks.example', { allow: [] })).toBe('inner_address')
    expect(await post('hooks.example', { allow: ['hooks.example'] })).toBe(200)
    expect(await post('hooks.example', { allow: ['*.example'] })).toBe(200)
  })
})

describe('a name without usable addresses', () => {
  it.each<[string, DnsServer['names'][string]]>([
    ['there is no such name', () => 'NXDOMAIN'],
    ['it has no address', () => []],
    ['the server fails', () => 'SERVFAIL'],
    ['it has thirty-three addresses', () => Array.from({ length: 33 }, (_, at) => `127.0.0.${at + 2}`)],
    ['the server is silent', () => 'silence'],
  ])('is unknown: %s', async (_case, answer) => {
    dns.names['hooks.example'] = answer
    const limits = answer('A') === 'silence' ? { ...PATIENT_EGRESS, resolve_ms: 400 } : PATIENT_EGRESS
    expect(await post('hooks.example', { allow: ['127.0.0.0/8'], limits })).toBe('unknown_name')
  })

  it('is not looked up by other means', async () => {
    const parts = { allow: ['127.0.0.0/8'] }
    expect(await post('localhost', parts)).toBe('bad_address')
    expect(await post('localhost.example', parts)).toBe('unknown_name')
    expect(new Set(dns.queries)).toEqual(new Set(['A localhost.example', 'AAAA localhost.example']))
  })
})
