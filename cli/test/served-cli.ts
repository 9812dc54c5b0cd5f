// A service and a command line that uses it, for one test file.
import { afterAll, beforeAll } from 'vitest'
import { startTestApp, type TestApp } from '../../server/test/harness.ts'
import { type Cli, makeCli } from './run-cli.ts'

export interface Served {
  app: TestApp
  cli: Cli
}

interface Options {
  /** The role of the key's owner. */
  role: 'admin' | 'member'
  /** `machine` for tests that wait: the other clock moves only when a test moves it. */
  clock?: 'service' | 'machine'
  /** Of the service. */
  settings?: Record<string, string>
}

/** Filled before the first test of the file; then `prepare` runs. */
export function serveCli(
  { role, clock = 'service', settings = {} }: Options,
  prepare: (served: Served) => Promise<void> = async () => undefined,
): Served {
  const served = {} as Served
  beforeAll(async () => {
    served.app = await startTestApp({ settings })
    const url = await served.app.server.listen({ host: '127.0.0.1', port: 0 })
    const env = { WAYBILL_HOST: url, WAYBILL_ORG: 'acme', WAYBILL_API_TOKEN: served.app[role].key ?? '' }
    const now_ms = () => served.app.clock.now().getTime()
    served.cli = clock === 'service' ? makeCli(env, now_ms) : makeCli(env)
    await prepare(served)
  })
  afterAll(async () => {
    served.cli.remove()
    await served.app.stop()
  })
  return served
}
