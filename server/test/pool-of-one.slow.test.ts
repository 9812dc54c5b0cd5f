// No work needs two pool connections at once. So any pool size works, and a busy pool delays work, but never blocks
// it for good.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../src/db/database.ts'
import { defineStatement } from '../src/db/statement.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { refuseSecondConnection } from './held-connections.ts'
import { expectReadmeOutput, runReadme } from './readme.ts'
import { makeDataDirectory, startService } from './service.ts'

it('a service with one connection runs the README', async () => {
  const env = { WAYBILL_DATABASE_POOL: '1', WAYBILL_DNS_SERVER: '127.0.0.1:9' }
  const service = await startService({ data_dir: makeDataDirectory(), env })
  expectReadmeOutput(await runReadme(service.port, service.key ?? ''))
  expect((await service.call('GET', '/ready')).text).toBe('OK')
})

describe('the database of the tests', () => {
  let app: TestApp
  let db: Database
  beforeAll(async () => {
    app = await startTestApp()
    db = refuseSecondConnection(app.db)
  })
  afterAll(() => app.stop())

  const nothing = defineStatement('tests.nothing', {}, {}, 'select')
  const step = { name: 'tests.nothing', text: 'select', values: [] }

  it.each<[string, () => Promise<unknown>]>([
    ['a statement', () => db.runOnce({}, nothing, {})],
    ['a read', () => db.read({}, nothing, {})],
    ['a batch', () => db.runBatch({}, [step])],
    ['a pipeline', () => db.runPipeline({}, { reads: [step], decide: () => ({ writes: [], outcome: 1 }) })],
    ['a transaction', () => db.withTransaction({}, async tx => tx.run(nothing, {}))],
  ])('refuses %s inside a transaction, and runs what it started after its end', async (_, use) => {
    await expect(db.withTransaction({}, use)).rejects.toThrow(
      'needs a second connection inside a transaction',
    )
    const guard = { scope: {}, check: async () => void (await use()) }
    await expect(db.withTransaction({}, async () => 1, guard)).rejects.toThrow('needs a second connection')
    // Work that the transaction started without waiting for it may use the pool once the transaction has ended.
    let end: () => void = () => undefined
    const ended = new Promise<void>(resolve => {
      end = resolve
    })
    const [started] = await db.withTransaction({}, async () => [ended.then(() => use())])
    end()
    await started
  })
})
