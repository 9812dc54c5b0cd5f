// A proxy that cuts connections at a chosen moment, between a client and a real service.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * When to cut the next connection; `never` lets it through. A number means after that many bytes of the
 * response.
 */
export type Cut =
  | 'at once'
  | 'within the request'
  | 'before the answer'
  | 'within the answer'
  | 'never'
  | number

export interface CuttingProxy {
  url: string
  /** For the next connections, in order; then `never`. */
  plan(cuts: readonly Cut[]): void
  /** How many connections were cut. */
  countCut(): number
  /** Cuts the connections that are open now. */
  cutAll(): void
  stop(): Promise<void>
}

export async function startCuttingProxy(target_port: number): Promise<CuttingProxy> {
  const planned: Cut[] = []
  const open = new Set<Socket>()
  let cut = 0
  const server: Server = createServer(client => {
    open.add(client)
    client.on('error', () => undefined).on('close', () => open.delete(client))
    const when = planned.shift() ?? 'never'
    if (when !== 'never') cut += 1
    if (when === 'at once') return client.destroy()
    forward(client, target_port, when)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: cuts => void planned.splice(0, planned.length, ...cuts),
    countCut: () => cut,
    cutAll: () => {
      for (const socket of open) socket.destroy()
    },
    stop: () => {
      for (const socket of open) socket.destroy()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

function forward(client: Socket, port: number, when: Cut): void {
  const service = connect({ port, host: '127.0.0.1' })
  service.on('error', () => client.destroy()).on('close', () => client.destroy())
  client.on('close', () => service.destroy())
  client.on('data', bytes => {
    if (when !== 'within the request') return void service.write(bytes)
    // Half of the first chunk, and nothing after it.
    service.write(bytes.subarray(0, bytes.length / 2), () => client.destroy())
  })
  let passed = 0
  service.on('data', bytes => {
    if (when === 'never') return void client.write(bytes)
    if (typeof when === 'number') {
      const rest = bytes.subarray(0, Math.max(0, when - passed))
      passed += bytes.length
      return void client.write(rest, () => passed >= when && client.destroy())
    }
    if (when === 'within the answer') client.write(bytes.subarray(0, bytes.length / 2))
    client.destroy()
  })
}
