// Compresses JSON that a caller reads, when it is long and the caller can unpack it. Only answers of GET under the prefix:
// what is handed over once, and the pages of signing in, hold secrets whose length must not depend on anything else.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const LEAST_BYTES = 1024
const gzipAsync = promisify(gzip)

export function compressAnswers(server: FastifyInstance, prefix: string): void {
  server.addHook('onSend', async (request, reply, payload) => {
    // What is streamed is long, and is not held back to be packed.
    if (typeof payload !== 'string' || Buffer.byteLength(payload) <= LEAST_BYTES) return payload
    if (!isCompressible(request, reply, prefix)) return payload
    reply.header('vary', 'accept-encoding')
    if (!acceptsGzip(request.headers['accept-encoding'])) return payload
    const packed = await gzipAsync(payload)
    reply.header('content-encoding', 'gzip').header('content-length', packed.length)
    return packed
  })
}

function isCompressible(request: FastifyRequest, reply: FastifyReply, prefix: string): boolean {
  return (
    request.method === 'GET' &&
    request.url.startsWith(`${prefix}/`) &&
    /^application\/json\b/.test(String(reply.getHeader('content-type')))
  )
}

/** `gzip` or `*`, unless it is given no weight; what is named itself counts before the star (RFC 9110, 12.5.3). */
export function acceptsGzip(accepted: string | string[] | undefined): boolean {
  const weights = new Map<string, number>()
  for (const part of String(accepted ?? '')
    .toLowerCase()
    .split(',')) {
    const [coding = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = parameters.find(text => text.startsWith('q='))
    weights.set(coding, weight === undefined ? 1 : Number(weight.slice('q='.length)))
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}
