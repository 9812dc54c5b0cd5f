import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeApi } from '../http/api.ts'
import { makeExchange } from '../http/exchange.ts'
import type { KeyRequest } from './exchange-token.ts'
import { makeJobKey } from './job-key.ts'

/** For tests of one command. */
const NOWHERE = { find: () => undefined, keep: () => undefined }
const START_MS = 1_750_000_000_000

/** Hands out numbered keys for 15 minutes. */
let service: Server
let host: string
let now_ms: number
let keys: number
let isAway: boolean

beforeAll(async () => {
  service = createServer((_request, response) => {
    if (isAway) return void response.writeHead(500).end()
    keys += 1
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ key: `key-${keys}`, expires_at: now_ms / 1000 + 900, rule: 'r' }))
  })
  await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve))
  host = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
})
afterAll(() => {
  service.close()
})
beforeEach(() => {
  now_ms = START_MS
  keys = 0
  isAway = false
})

function start(more: Partial<KeyRequest> = {}) {
  const parts = { host, exchange: makeExchange({}), timeout_ms: 600_000 }
  const api = makeApi({
    ...parts,
    getToken: async () => undefined,
    user_agent: 'test',
    max_retries: 0,
    now_ms: () => now_ms,
    debug: () => undefined,
  })
  const env = { WAYBILL_ID_TOKEN: 'a.b.c' }
  const request = {
    ...parts,
    api,
    env,
    ci: undefined,
    file: undefined,
    org: 'acme',
    audience: undefined,
    keys: NOWHERE,
    mask: () => undefined,
  }
  const getJobKey = makeJobKey({ ...request, ...more }, () => now_ms)
  return getJobKey && (async () => (await getJobKey()).key)
}

describe('the key of a job', () => {
  it('is exchanged once for all who wait, and cached', async () => {
    const getKey = start()
    expect(keys).toBe(0)
    expect(await Promise.all([getKey?.(), getKey?.(), getKey?.()])).toEqual(['key-1', 'key-1', 'key-1'])
    now_ms += 839_000
    expect(await getKey?.()).toBe('key-1')
  })

  it('is replaced in its last minute; if that fails, it is used until it expires', async () => {
    const getKey = start()
    await getKey?.()
    now_ms += 841_000
    isAway = true
    expect(await getKey?.()).toBe('key-1')
    isAway = false
    expect(await getKey?.()).toBe('key-2')
    now_ms += 900_000
    isAway = true
    await expect(getKey?.()).rejects.toThrow(/500/)
    isAway = false
    expect(await getKey?.()).toBe('key-3')
  })

  it('does not exist without a token or an organization', () => {
    expect(start({ env: {} })).toBeUndefined()
    expect(start({ org: '' })).toBeUndefined()
  })
})
