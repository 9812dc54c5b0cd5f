import { describe, expect, it } from 'vitest'
import { checkAddress, checkClock, checkSchema, checkSpace } from './doctor-findings.ts'

const HERE = { host: '127.0.0.1', base_url: undefined, has_tls: false, trusted_proxies: 0 }
const PUBLIC = { ...HERE, host: '0.0.0.0', base_url: 'https://waybill.example' }

describe('the public address', () => {
  it.each([
    ['only this machine', HERE, 'ok', null],
    ['everywhere, without a name', { ...HERE, host: '0.0.0.0' }, 'warning', 'WAYBILL_BASE_URL'],
    ['http on this machine', { ...HERE, base_url: 'http://localhost:8001' }, 'ok', null],
    ['http elsewhere', { ...PUBLIC, base_url: 'http://waybill.example' }, 'warning', 'WAYBILL_TLS_CERT_FILE'],
    ['a proxy that is not trusted', PUBLIC, 'warning', 'WAYBILL_TRUSTED_PROXIES'],
    ['a trusted proxy', { ...PUBLIC, trusted_proxies: 1 }, 'ok', null],
    ['TLS of its own', { ...PUBLIC, has_tls: true }, 'ok', null],
  ] as const)('%s', (_, settings, state, helps) => {
    const { state: found, hint } = checkAddress(settings)
    expect([found, helps === null ? hint : hint?.includes(helps)]).toEqual([
      state,
      helps === null ? null : true,
    ])
  })
})

describe('the schema', () => {
  it.each([
    [{ applied: 1, pending: [] }, 'ok', 'current, 1 migration'],
    [{ applied: 60, pending: [] }, 'ok', 'current, 60 migrations'],
    [{ applied: 0, pending: ['0001'] }, 'warning', 'there is none yet'],
    [{ applied: 59, pending: ['0060_x'] }, 'warning', '1 migration pending, the first is 0060_x'],
  ])('%j is %s: %s', (facts, state, text) => {
    expect(checkSchema(facts)).toMatchObject({ state, text })
  })
})

describe('the clock', () => {
  it.each([
    [0, 'ok', 'within a minute of the database'],
    [-60, 'ok', 'within a minute of the database'],
    [61, 'warning', 'this machine is 61 s ahead of the database'],
    [-7200, 'warning', 'this machine is 7200 s behind the database'],
  ])('%d s ahead is %s: %s', (ahead_s, state, text) => {
    const database = new Date('2026-03-03T12:00:00Z')
    expect(checkClock(new Date(database.getTime() + ahead_s * 1000), database)).toMatchObject({ state, text })
  })
})

describe('the evidence disk', () => {
  it.each([
    [9, 'warning', 'only 9 % of the evidence disk is free'],
    [10, 'ok', '10 % of the evidence disk is free'],
  ])('with %d of 100 bytes free is %s: %s', (free_bytes, state, text) => {
    expect(checkSpace({ free_bytes, total_bytes: 100 })).toMatchObject({ state, text })
  })
})
