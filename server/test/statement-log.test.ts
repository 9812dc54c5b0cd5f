// The statement log counts the statements of one piece of work, whatever else uses the database at the same time.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './harness.ts'
import { makeJobs } from './jobs.ts'
import { until } from './patience.ts'
import { makeStatementLog, recordStatements } from './statement-log.ts'

const READ = '/flows/acme/counted'
const OTHERS = 20

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'counted', description: '' })
  await app.reader.get(READ)
})
afterAll(() => app.stop())

it('has the statements of a request and its waits', async () => {
  expect(await recordStatements(app, () => app.reader.get(READ))).toEqual({
    statements: ['flows.find'],
    waits: ['flows.find'],
  })
  const put = () => app.member.put('/flows/acme', { name: 'another', description: '' })
  const { statements, waits } = await recordStatements(app, put)
  expect(statements).toContain('flows.insert_or_keep')
  expect(waits.at(-1)).toBe('commit')
})

it('has nothing from other requests or a worker', async () => {
  const jobs = await makeJobs(app)
  const worker = jobs.start({})
  const others = makeStatementLog()
  const asked = others.during(() => Array.from({ length: OTHERS }, () => app.admin.get('/flows/acme')))
  const { statements } = await recordStatements(app, async () => {
    await app.reader.get(READ)
    await Promise.all(asked)
    await worker.untilPolled()
    await app.reader.get(READ)
  })
  await jobs.stopAll()
  expect(statements).toEqual(['flows.find', 'flows.find'])
  expect(others.statements.length).toBeGreaterThanOrEqual(OTHERS)
})

it('has statements of background work, even after the call returned', async () => {
  const sent = makeStatementLog()
  let stop = false
  const reading = sent.during(async () => {
    while (!stop) await app.reader.get(READ)
  })
  await until(() => sent.countOf('flows.find') > 5)
  stop = true
  await reading
})
