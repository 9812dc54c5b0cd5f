// A rolling restart behind a load balancer that only knows /ready: two services on one database, restarted in turn
// under load. No request fails, although the balancer never retries.
import http from 'node:http'
import { startBalancer } from '@waybill/testing/balancer'
import { describe, expect, it } from 'vitest'
import { until } from './patience.ts'
import { addCleanUp, call, createDatabase, makeScratchFolder, type Service, startService } from './service.ts'

const WRITERS = 4
/** Far longer than the test: the second signal ends the drain, so that nothing depends on the speed of the machine. */
const LONG = '3600'
const CLEAN = { code: 0, signal: null }

function startLoad(port: number, key: string | undefined) {
  const statuses: number[] = []
  const agent = new http.Agent({ keepAlive: true })
  let stopping = false
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let i = 0; !stopping; i++) {
      const body = { name: `rolling-${writer}-${i}` }
      const sent = { key, body }
      statuses.push((await call({ port, agent }, 'PUT', '/api/v2/trails/demo-org/load', sent)).status)
    }
  })
  const finished = Promise.all(writers)
  finished.catch(() => undefined)
  const stop = async () => {
    stopping = true
    await finished
    agent.destroy()
  }
  return { statuses, stop }
}

describe('a rolling restart', () => {
  it('fails no request: /ready fails first, the rest is answered, then the listener closes', async () => {
    const { url } = await createDatabase()
    const env = {
      DATABASE_URL: url,
      WAYBILL_EVIDENCE_URL: `file://${makeScratchFolder()}`,
      WAYBILL_SECRET_KEY: 'a secret key of the tests, long enough',
      WAYBILL_LOG_LEVEL: 'warn',
      WAYBILL_DRAIN_SECONDS: LONG,
    }
    const first = await startService({ data_dir: makeScratchFolder(), env })
    const services = [first, await startService({ data_dir: makeScratchFolder(), env })]
    const { key } = first
    const flow = { key, body: { name: 'load', description: '' } }
    expect((await first.call('PUT', '/api/v2/flows/demo-org', flow)).status).toBe(201)
    const balancer = await startBalancer({ ports: services.map(({ port }) => port) })
    addCleanUp(balancer.stop)
    await until(() => balancer.ready.size === 2)
    const load = startLoad(balancer.port, key)
    const more = () => {
      const had = load.statuses.length
      return until(() => load.statuses.length >= had + 3 * WRITERS)
    }
    await more()
    const restarted: Service[] = []
    for (const { port, data_dir, ...service } of services) {
      service.signal('SIGTERM')
      await until(() => !balancer.ready.has(port))
      const { status, headers, text } = await service.call('GET', '/ready')
      expect([status, text, headers.connection]).toEqual([503, 'the service is stopping', 'close'])
      expect((await service.call('GET', '/healthz')).status).toBe(200)
      expect((await service.call('GET', '/api/v2/flows/demo-org', { key })).status).toBe(200)
      await more()
      service.signal('SIGTERM')
      expect(await service.ended).toEqual(CLEAN)
      await more()
      const short = { ...env, WAYBILL_DRAIN_SECONDS: '1' }
      restarted.push(await startService({ data_dir, port, env: short }))
      await until(() => balancer.ready.has(port))
    }
    await more()
    await load.stop()
    expect([...new Set(load.statuses)]).toEqual([201])
    // One signal is enough: the drain also ends by itself.
    for (const service of restarted) service.signal('SIGTERM')
    for (const service of restarted) expect(await service.ended).toEqual(CLEAN)
  })
})
