// The metrics about witnesses in /metrics.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../src/lib/clock.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { askNow, type FakeWitness, passMinute, startFakeWitness } from './witnesses.ts'

let app: TestApp
let bank: FakeWitness
let policy: string
beforeAll(async () => {
  const auditor = await startFakeWitness('auditor.example/w1')
  bank = await startFakeWitness('bank.example/w1')
  policy = `witness auditor ${auditor.vkey} ${auditor.url}\nwitness bank ${bank.vkey} ${bank.url}\nquorum none\n`
  app = await startTestApp({ settings: { WAYBILL_LOG_POLICY: policy } })
  // Only this log counts: the seed has others.
  await app.sql('delete from log_heads where org_id <> (select org_id from orgs where name = $1)', [ORG])
  // The witnesses use the machine's clock.
  app.clock.advance(systemClock.now().getTime() - app.clock.now().getTime() + 600_000)
})
afterAll(() => app.stop())

/** The values for the policy's witnesses. */
async function readMetric(name: string, more = ''): Promise<number[]> {
  const { body } = await app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
  return ['auditor', 'bank'].map(witness => {
    const start = `${name}{witness="${witness}"${more}} `
    const line = body.split('\n').find(one => one.startsWith(start))
    return Number(line?.slice(start.length).replace('Nan', 'NaN') ?? expect.fail(`no ${start}`))
  })
}
const countLogs = (state: string) => readMetric('waybill_witness_logs', `,state="${state}"`)

it('shows each witness before it is asked, and its last response', async () => {
  expect(await readMetric('waybill_witness_cosignature_age_seconds')).toEqual([Number.NaN, Number.NaN])
  expect(await countLogs('ok')).toEqual([0, 0])
  bank.answer = (_, response) => void response.writeHead(500).end()
  await askNow(app, policy)
  expect(await countLogs('ok')).toEqual([1, 0])
  expect(await countLogs('behind')).toEqual([0, 1])
  expect(await countLogs('fork')).toEqual([0, 0])
  const [age = 0, never] = await readMetric('waybill_witness_cosignature_age_seconds')
  expect(age).toBeGreaterThan(0)
  // A cosignature has whole seconds.
  expect(age).toBeLessThanOrEqual(601)
  expect(never).toBeNaN()
  app.clock.advance(3_600_000)
  expect((await readMetric('waybill_witness_cosignature_age_seconds'))[0]).toBeCloseTo(age + 3_600, 0)
})

it('counts how often each did not cosign', async () => {
  bank.answer = (_, response) => void response.writeHead(500).end()
  await passMinute(app)
  const { witness_failures } = await askNow(app, policy)
  expect([...witness_failures]).toEqual([['bank', 1]])
  // Another process asks: this one has counted nothing.
  expect(await readMetric('waybill_witness_failures_total')).toEqual([0, 0])
})
