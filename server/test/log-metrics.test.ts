// The metrics about logs in /metrics.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordEvents } from '../src/events/record.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { makeLogs } from '../src/log/logs.ts'
import { publishGrownLogs } from '../src/log/publish.ts'
import { ORG, SECRET_KEY, startTestApp, type TestApp } from './harness.ts'
import { loseLeaves } from './lost-leaves.ts'
import { publishLogs } from './publish-logs.ts'

/** Results are reused for a second. */
const FRESH_MS = 1_001

let app: TestApp
let org_id: string
beforeEach(async () => {
  app = await startTestApp()
  org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
})
afterEach(() => app.stop())

async function readMetric(name: string): Promise<number> {
  app.clock.advance(FRESH_MS)
  const { body } = await app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
  const lines = body.split('\n').filter(line => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  // One series, however many organizations there are.
  expect(lines, name).toHaveLength(1)
  return Number(lines[0]?.split(' ')[1]?.replace('Nan', 'NaN'))
}

const write = (name: string, headers: Record<string, string> = {}) =>
  app.admin.call('PUT', `/flows/${ORG}`, { name, description: '' }, headers)

const sign = () => app.reader.get(`/log/${ORG}/checkpoint`)

describe('/metrics', () => {
  it('has the size of all logs, and how far they are published', async () => {
    expect(await readMetric('waybill_log_checkpoint_age_seconds')).toBeNaN()
    await write('first')
    expect(await readMetric('waybill_logs_unpublished')).toBeGreaterThan(0)
    await publishLogs(app)
    expect(await readMetric('waybill_logs_unpublished')).toBe(0)
    const [row] = await app.sql('select count(*)::int as leaves from log_leaves')
    expect(await readMetric('waybill_log_leaves')).toBe(row?.leaves)
    app.clock.advance(600_000)
    const age = await readMetric('waybill_log_checkpoint_age_seconds')
    expect(age).toBeGreaterThanOrEqual(600)
    expect(age).toBeLessThan(700)
    await write('second')
    expect(await readMetric('waybill_logs_unpublished')).toBe(1)
  })

  it('counts signed checkpoints, but not repeated responses with the same one', async () => {
    await sign()
    const signed = await readMetric('waybill_log_checkpoints_signed_total')
    await sign()
    expect(await readMetric('waybill_log_checkpoints_signed_total')).toBe(signed)
    await write('first')
    await sign()
    expect(await readMetric('waybill_log_checkpoints_signed_total')).toBe(signed + 1)
    expect(await readMetric('waybill_log_signing_failures_total')).toBe(0)
    expect(await readMetric('waybill_logs_frozen')).toBe(0)
  })

  it('counts frozen logs, unsigned checkpoints and writes without their proof', async () => {
    await write('first')
    await publishLogs(app)
    await loseLeaves(app, org_id, 1)
    expect((await sign()).status).toBe(503)
    expect(await readMetric('waybill_logs_frozen')).toBe(1)
    expect(await readMetric('waybill_log_signing_failures_total')).toBe(1)
    expect((await write('second', { prefer: 'waybill-proof' })).status).toBe(201)
    expect(await readMetric('waybill_log_proof_failures_total')).toBe(1)
  })

  it('counts hashes that could not be stored, and proofs continue', async () => {
    await sign()
    await app.sql('revoke insert on log_nodes from waybill_app')
    const context = { org: { org_id }, caller: { name: 'ada' }, now: app.clock.now(), request_id: 'r' }
    const events = Array.from({ length: 300 }, (_, n) => ({ kind: 'org_exported' as const, data: { n } }))
    await app.db.withTransaction({ org_id }, tx => recordEvents(tx, context, makeIds(app.clock), events))
    expect((await app.reader.get(`/log/${ORG}/proof?index=0`)).status).toBe(200)
    expect(await readMetric('waybill_log_storing_failures_total')).toBe(1)
    await app.sql('grant insert on log_nodes to waybill_app')
    await sign()
    const [stored] = await app.sql('select count(*)::int as nodes from log_nodes where org_id = $1', [org_id])
    expect(stored?.nodes).toBe(1)
    expect(await readMetric('waybill_log_storing_failures_total')).toBe(1)
  })

  it('counts checkpoints that do not reach the evidence store', async () => {
    await write('first')
    const log = makeLog('silent')
    const parts = { db: app.db, evidence: app.evidence, clock: app.clock, log }
    const logs = makeLogs({ ...parts, sealer: makeSealer(SECRET_KEY), ids: makeIds(app.clock) })
    // A file in the place of the folder.
    writeFileSync(join(app.evidence_dir, 'log'), '')
    await publishGrownLogs({ ...parts, logs })
    expect(logs.counters.publishing_failures).toBeGreaterThan(0)
    const [stored] = await app.sql('select count(*)::int as checkpoints from log_checkpoints')
    expect(stored?.checkpoints).toBe(0)
    rmSync(join(app.evidence_dir, 'log'))
    const failures = logs.counters.publishing_failures
    await publishGrownLogs({ ...parts, logs })
    expect(logs.counters.publishing_failures).toBe(failures)
  })
})
