// Connections to registries and container engines, for the fingerprint package, which opens none itself.
import type { EngineRequest, Fetch } from '@waybill/fingerprints'
import type { Environment } from '../ci/systems.ts'
import { type Exchange, readBody } from '../http/exchange.ts'
import { failUsage } from '../program/problem.ts'

const DEFAULT_SOCKET = '/var/run/docker.sock'
const ENGINE_ANSWER_BYTES = 64 * 1024 * 1024

export function makeRegistryFetch(exchange: Exchange, timeout_ms: number): Fetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await exchange({
      method,
      url: new URL(url),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
      openBody: body === undefined ? undefined : () => Buffer.from(body),
      timeout_ms,
      signal,
    })
    return {
      status: answer.status,
      headers: { get: name => answer.headers[name.toLowerCase()] ?? null },
      body: answer.body,
    }
  }
}

/** The Docker API, which Podman offers too: a Unix socket, or TCP without TLS. */
export function makeEngineRequest(exchange: Exchange, env: Environment, timeout_ms: number): EngineRequest {
  const where = env.DOCKER_HOST || `unix://${DEFAULT_SOCKET}`
  const socket = /^unix:\/\/(.+)$/.exec(where)?.[1]
  const tcp = /^(?:tcp|http):\/\/(.+)$/.exec(where)?.[1]
  if (socket === undefined && tcp === undefined)
    failUsage(`DOCKER_HOST: ${where} is not supported`, 'Use unix:///path/of/the/socket or tcp://host:port.')
  return async path => {
    const answer = await exchange({
      method: 'GET',
      url: new URL(path, `http://${tcp ?? 'localhost'}`),
      headers: { accept: 'application/json' },
      timeout_ms,
      ...(socket === undefined ? {} : { socket_path: socket }),
    })
    const bytes = await readBody(answer, ENGINE_ANSWER_BYTES)
    return { status: answer.status, body: bytes.toString('utf8') }
  }
}
