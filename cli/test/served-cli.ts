// A service and the command line that talks to it, for one test file.
import { afterAll, beforeAll } from 'vitest'
import { startTestApp, type TestApp } from '../../server/test/harness.ts'
import { type Cli, makeCli } from './run-cli.ts'

export interface Served {
  app: TestApp
  cli: Cli
}

/** Filled before the first test of the file; `prepare` runs after that. */
export function serveCli(role: 'admin' | 'member', prepare: (served: Served) => Promise<void>): Served {
  const served = {} as Served
  beforeAll(async () => {
    served.app = await startTestApp()
    const url = await served.app.server.listen({ host: '127.0.0.1', port: 0 })
    const key = served.app[role].key ?? ''
    served.cli = makeCli({ WAYBILL_HOST: url, WAYBILL_ORG: 'acme', WAYBILL_API_TOKEN: key })
    await prepare(served)
  })
  afterAll(async () => {
    served.cli.remove()
    await served.app.stop()
  })
  return served
}
