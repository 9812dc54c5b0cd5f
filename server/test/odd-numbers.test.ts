// Numbers that would be read as a different number: each is rejected with the name of its field, and nothing is
// stored.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './harness.ts'
import { makeFlow } from './reports.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await app.member.put('/trails/acme/ci', { name: 'run' })
  await app.member.put('/environments/acme', { name: 'prod', type: 'server' })
  const artifacts = [{ digests: { app: 'a'.repeat(64) }, creationTimestamp: 1 }]
  await app.member.put('/environments/acme/prod/report/server', { artifacts })
})
afterAll(() => app.stop())

const JSON_TYPE = { 'content-type': 'application/json' }
const countEvents = async () => (await app.sql('select count(*)::int as n from events'))[0]?.n

describe('400 for a number in a body', () => {
  const suite = (failures: string) =>
    `{"attestation_name":"a","junit_results":[{"name":"s","failures":${failures},"errors":0,"skipped":0,"total":1,"duration":1}]}`

  it.each(['-0', '-0.0', '1e-400', '-1e-400'])('%s as a count', async number => {
    const before = await countEvents()
    const path = '/attestations/acme/ci/trail/run/junit'
    const { status, body } = await app.member.call('POST', path, suite(number), JSON_TYPE)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['junit_results[0].failures']])
    expect(await countEvents()).toBe(before)
  })

  it.each(['-0', '1e-400'])('%s in free data, where it would read back as 0', async number => {
    const text = `{"name":"run","user_data":{"a":[${number}]}}`
    const { status, body } = await app.member.call('PUT', '/trails/acme/ci', text, JSON_TYPE)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['user_data.a[0]']])
  })
})

describe('400 for a number in an address', () => {
  it.each(['01', '~01', '%2301', '-01', '0', '-0'])('snapshot %s', async expression => {
    expect((await app.reader.get(`/snapshots/acme/prod/${expression}`)).status).toBe(400)
  })

  it.each(['-0', '01', '1e0', '0x1', '1.0', '%201', '1e-400', '', '+1'])('page=%s', async page => {
    const { status, body } = await app.reader.get(`/flows/acme?page=${page}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['query.page']])
  })
})

describe('200', () => {
  it.each(['1', '-1', '~0', '%231'])('snapshot %s', async expression => {
    expect((await app.reader.get(`/snapshots/acme/prod/${expression}`)).status).toBe(200)
  })
})
