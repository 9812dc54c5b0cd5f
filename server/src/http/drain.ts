// Closes a server: requests in progress may finish, and nothing else keeps it open.
import type { FastifyInstance } from 'fastify'

const SWEEP_EVERY_MS = 100

/**
 * Fastify closes only the connections that are idle now. Connections that become idle later, and slow ones, must be
 * closed here: Node no longer checks timeouts once the server is closing, and each would keep it open.
 */
export async function drain(server: FastifyInstance, finish_ms: number): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP_EVERY_MS)
  const late = setTimeout(() => server.server.closeAllConnections(), finish_ms)
  await server.close()
  clearInterval(sweep)
  clearTimeout(late)
}
