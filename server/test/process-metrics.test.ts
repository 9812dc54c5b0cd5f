// The metrics of a process about its own work, as a scraper sees them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, buildPolicyRequiring, makeEnvironment, putPolicy, report } from './environments.ts'
import { makeFile, startTestApp, type TestApp } from './harness.ts'
import { until } from './patience.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from './reports.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ settings: { WAYBILL_ROLE: 'all' } })
  await makeFlow(app, 'ci')
  await makeEnvironment(app, 'prod')
  await putPolicy(app, 'strict', buildPolicyRequiring('unit'))
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a'), nameTrail('run')))
  await attach(app, 'prod', 'strict')
  await report(app, 'prod', 'a')
})
afterAll(() => app.stop())

async function read(name: string): Promise<number> {
  const { body } = await app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
  const samples = body.split('\n').filter(line => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** How much the metrics grow while something happens. */
async function measureGrowth(names: readonly string[], work: () => Promise<unknown>): Promise<number[]> {
  const before = await Promise.all(names.map(read))
  await work()
  return (await Promise.all(names.map(read))).map((value, i) => value - (before[i] ?? 0))
}

const attest = (is_compliant = true) =>
  app.member.post('/attestations/acme/ci/trail/run/generic', { attestation_name: 'unit', is_compliant })

describe('the metrics of a process', () => {
  it('count batches and the writes in them', async () => {
    const names = ['waybill_batches_total', 'waybill_batch_items_total']
    expect(await measureGrowth(names, () => attest())).toEqual([1, 1])
    const [batches = 0, items] = await measureGrowth(names, () => Promise.all([attest(), attest(), attest()]))
    expect(items).toBe(3)
    expect(batches).toBeLessThan(3)
  })

  it('count the callers that the auth cache knew, and those that it did not', async () => {
    const names = ['waybill_auth_cache_hits_total', 'waybill_auth_cache_misses_total']
    await app.reader.get('/flows/acme')
    expect(await measureGrowth(names, () => app.reader.get('/flows/acme'))).toEqual([1, 0])
    app.clock.advance(4_000)
    expect(await measureGrowth(names, () => app.reader.get('/flows/acme'))).toEqual([0, 1])
  })

  it('count evaluations', async () => {
    const before = await read('waybill_evaluations_total')
    await attest(false)
    app.clock.advance(1_000)
    await until(async () => (await read('waybill_evaluations_total')) > before)
    expect(await read('waybill_evaluation_failures_total')).toBe(0)
  })

  it('add up the evidence of all organizations', async () => {
    const data_json = JSON.stringify({ attestation_name: 'scan', is_compliant: true })
    const upload = () =>
      app.member.form('POST', '/attestations/acme/ci/trail/run/generic', {
        data_json,
        attachment_file: makeFile('12345'),
      })
    const before = await read('waybill_evidence_bytes')
    expect((await upload()).status).toBe(201)
    expect(await read('waybill_evidence_bytes')).toBe(before + 5)
  })
})
