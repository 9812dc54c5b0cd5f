// A proxy to the service that can be closed, as if the service were down, and reopened at the same address.
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Plug {
  url: string
  /** Closes the proxy after the response to the next such request, such as `PUT /api/v2/trails/`. */
  closeAfter(start: string): void
  open(): Promise<void>
  stop(): Promise<void>
}

export async function startPlug(target: string): Promise<Plug> {
  let awaited: string | undefined
  let server: Server = await listen(0)
  const { port } = server.address() as AddressInfo

  function listen(at: number): Promise<Server> {
    const made = createServer((incoming, outgoing) => {
      const isLast = awaited !== undefined && `${incoming.method} ${incoming.url}`.startsWith(awaited)
      const { method, headers } = incoming
      // A new connection for each request: the service may close an idle one while the next request is
      // written.
      const forwarded = request(`${target}${incoming.url}`, { method, headers, agent: false }, answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      incoming.pipe(forwarded)
      if (!isLast) return
      awaited = undefined
      outgoing.on('finish', () => made.close())
      outgoing.shouldKeepAlive = false
    })
    return new Promise(resolve => made.listen(at, '127.0.0.1', () => resolve(made)))
  }

  return {
    url: `http://127.0.0.1:${port}`,
    closeAfter: start => {
      awaited = start
    },
    open: async () => {
      awaited = undefined
      if (!server.listening) server = await listen(port)
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}
