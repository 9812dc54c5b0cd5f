// What `waybill doctor` reports about services with problems. program.test.ts has a healthy service.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startHttpsSink } from '@waybill/testing/tls'
import { afterEach, describe, expect, it } from 'vitest'
import { type Cli, makeCli } from './run-cli.ts'

const META = { product: 'Waybill', version: '0.0.1', api_version: '2.0' }
const LONG_AGO = 'Sat, 01 Jan 2000 00:00:00 GMT'

const running: { stop(): unknown }[] = []
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop()
})

/** Sends the same body in response to every request. */
async function startStandIn(
  body: unknown,
  headers: Record<string, string> = {},
  onPath: (path: string) => void = () => undefined,
): Promise<string> {
  const server: Server = createServer(({ url = '' }, response) => {
    onPath(url)
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  running.push({
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function diagnose(host: string): Promise<{ code: number; stdout: string }> {
  const cli: Cli = makeCli({ WAYBILL_HOST: host })
  running.push({ stop: cli.remove })
  return cli.run('doctor --timeout 10')
}

describe('doctor', () => {
  it('finds an untrusted certificate', async () => {
    const sink = await startHttpsSink()
    running.push(sink)
    const { code, stdout } = await diagnose(sink.url)
    expect(code).toBe(3)
    expect(stdout).toMatch(/^problem +network /m)
    expect(stdout).toMatch(/^problem +TLS .*NODE_EXTRA_CA_CERTS/m)
  })

  it('sends requests below the path of the address', async () => {
    const asked: string[] = []
    const host = await startStandIn(META, {}, path => asked.push(path))
    const { stdout } = await diagnose(`${host}/waybill/`)
    expect(stdout).toMatch(/^ok +address +\S+\/waybill /m)
    expect(new Set(asked.map(path => path.split('/', 3).join('/')))).toEqual(new Set(['/waybill/api']))
  })

  it('finds a wrong clock', async () => {
    const { stdout } = await diagnose(await startStandIn(META, { date: LONG_AGO }))
    expect(stdout).toMatch(/^problem +clock +this machine is \d+ s ahead of the service/m)
  })

  it('finds a service of another version', async () => {
    const { stdout } = await diagnose(await startStandIn({ ...META, version: '9.1.0' }))
    expect(stdout).toMatch(/^problem +versions +this program 0\.0\.0-test, the service 9\.1\.0/m)
  })

  it.each([[{ hello: 'world' }], ['ok'], [null]])('detects another service: %j', async body => {
    const { code, stdout } = await diagnose(await startStandIn(body))
    expect(code).toBe(3)
    expect(stdout).toMatch(/^problem +network .*not as Waybill does/m)
  })
})
