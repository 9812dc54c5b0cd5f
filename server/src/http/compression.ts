// Compresses long JSON responses for callers that accept gzip. Only for GET under the prefix: the length of one-time
// secrets and of sign-in pages must not depend on anything else.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const MIN_BYTES = 1024
const gzipAsync = promisify(gzip)

export function compressAnswers(server: FastifyInstance, prefix: string): void {
  server.addHook('onSend', async (request, reply, payload) => {
    // Streamed responses are long, and buffering them to compress would delay them.
    if (typeof payload !== 'string' || Buffer.byteLength(payload) <= MIN_BYTES) return payload
    if (!isCompressible(request, reply, prefix) || !acceptsGzip(reply)) return payload
    const packed = await gzipAsync(payload)
    reply.header('content-encoding', 'gzip').header('content-length', packed.length)
    return packed
  })
}

/** For a response that depends on it. Only for GET: see above. */
export function acceptsGzip(reply: FastifyReply): boolean {
  const { method, headers } = reply.request
  if (method !== 'GET') return false
  reply.header('vary', 'accept-encoding')
  return acceptsCoding(headers['accept-encoding'], 'gzip')
}

function isCompressible(request: FastifyRequest, reply: FastifyReply, prefix: string): boolean {
  return (
    request.method === 'GET' &&
    request.url.startsWith(`${prefix}/`) &&
    /^application\/json\b/.test(String(reply.getHeader('content-type')))
  )
}

/** The coding or `*`, unless its weight is zero; an explicit entry takes precedence over the star (RFC 9110, 12.5.3). */
export function acceptsCoding(accepted: string | string[] | undefined, wanted: 'br' | 'gzip'): boolean {
  const weights = new Map<string, number>()
  for (const part of String(accepted ?? '')
    .toLowerCase()
    .split(',')) {
    const [coding = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = parameters.find(text => text.startsWith('q='))
    weights.set(coding, weight === undefined ? 1 : Number(weight.slice('q='.length)))
  }
  return (weights.get(wanted) ?? weights.get('*') ?? 0) > 0
}
