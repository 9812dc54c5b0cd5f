// A load balancer: an HTTP proxy that sends requests in turn to the ports that were ready at the last check.
// It checks only /ready, and never retries.
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Balancer {
  port: number
  /** The ports that were ready at the last check. */
  ready: ReadonlySet<number>
  /** How many requests went to each port. */
  sent: ReadonlyMap<number, number>
  stop(): Promise<void>
}

export interface BalancerOptions {
  ports: readonly number[]
  /** Between two checks of a port. */
  probe_every_ms?: number
}

export async function startBalancer({ ports, probe_every_ms = 20 }: BalancerOptions): Promise<Balancer> {
  const ready = new Set<number>()
  const sent = new Map<number, number>()
  const agent = new http.Agent({ keepAlive: true })
  let turn = 0
  const server = http.createServer((request, response) => {
    const open = [...ready]
    const port = open[turn++ % open.length]
    if (port === undefined) {
      response.writeHead(503, { 'retry-after': '1' }).end('no service is ready')
      return
    }
    sent.set(port, (sent.get(port) ?? 0) + 1)
    forward(request, response, { port, agent })
  })
  // After a pause of this process, a limit would close connections on which a client is just about to send.
  server.keepAliveTimeout = 0
  let is_over = false
  const probing = Promise.all(
    ports.map(async port => {
      while (!is_over) {
        if ((await probe(port)) === 200) ready.add(port)
        else ready.delete(port)
        await new Promise(resolve => setTimeout(resolve, probe_every_ms))
      }
    }),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    ready,
    sent,
    stop: async () => {
      is_over = true
      await probing
      agent.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}

function forward(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  target: { port: number; agent: http.Agent },
): void {
  const { method, url: path, headers } = request
  const forwarded = http.request({ host: '127.0.0.1', ...target, method, path, headers }, answer => {
    const { connection, ...kept } = answer.headers
    response.writeHead(answer.statusCode ?? 0, kept)
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  forwarded.on('error', error => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end(String(error))
  })
  response.on('close', () => {
    if (!response.writableFinished) forwarded.destroy()
  })
  request.on('error', () => forwarded.destroy())
  request.pipe(forwarded)
}

/** The status of /ready, on a separate connection; undefined if nothing responds. */
function probe(port: number): Promise<number | undefined> {
  return new Promise(resolve => {
    const request = http.get({ host: '127.0.0.1', port, path: '/ready', agent: false }, answer => {
      answer.resume()
      answer.on('error', () => resolve(undefined))
      answer.on('end', () => resolve(answer.statusCode))
    })
    request.on('error', () => resolve(undefined))
  })
}
