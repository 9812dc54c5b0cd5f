// From the result of a handler to a response: JSON, a file, a picture or a stream.
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import {
  Accepted,
  Answer,
  type Contract,
  Download,
  EventStream,
  Picture,
  Streamed,
} from '../api/operation.ts'
import { toBrandedAnswer, toBrandedItem } from './compat.ts'
import { acceptsGzip } from './compression.ts'
import { packAnswer, renderAnswer } from './large-answer.ts'
import { toStream } from './streamed.ts'

/** The most that the rows of a streamed list count for. */
const MOST_STREAMED_BYTES = 16 * 1024 * 1024

export async function sendResult(
  reply: FastifyReply,
  result: unknown,
  contract: Contract,
): Promise<FastifyReply> {
  reply.headers(buildLifecycleHeaders(contract))
  if (result instanceof Download) return sendFile(reply, result, contract)
  if (result instanceof Picture) return sendPicture(reply, result)
  if (result instanceof EventStream) return sendEvents(reply, result)
  reply.type('application/json; charset=utf-8')
  if (result instanceof Streamed) return sendStreamed(reply, result, contract)
  if (result instanceof Accepted) return sendJson(reply.code(202), toBrandedAnswer(contract.id, result.body))
  const answer = result instanceof Answer ? result : new Answer(200, result)
  reply.code(answer.status).headers(answer.headers)
  return sendJson(reply, toBrandedAnswer(contract.id, answer.body))
}

/** Only reads are refused when there is no room: a write has happened already. */
async function sendJson(reply: FastifyReply, body: unknown): Promise<FastifyReply> {
  const { place } = reply.request
  if (!place) return reply.send(JSON.stringify(body))
  const rendered = renderAnswer(body)
  if (rendered === undefined || typeof rendered === 'string') {
    place.learn(rendered?.length ?? 0)
    place.resize(rendered?.length ?? 0)
    return reply.send(rendered)
  }
  const is_compressed = acceptsGzip(reply)
  const { bytes, content } = await packAnswer(rendered, { place, is_compressed })
  if (is_compressed) reply.header('content-encoding', 'gzip')
  return reply.header('content-length', bytes).send(content)
}

/** Its rows stay in memory until it ends, and are smaller than its JSON: what is expected stays occupied until then. */
function sendStreamed(
  reply: FastifyReply,
  result: Streamed<unknown, unknown>,
  { id }: Contract,
): FastifyReply {
  const { place } = reply.request
  const content = toStream(
    result,
    item => toBrandedItem(id, item),
    bytes => place?.learn(Math.min(bytes, MOST_STREAMED_BYTES)),
  )
  return reply.send(content)
}

/** Without a length and uncompressed; proxies are asked to pass on every event at once. */
function sendEvents(reply: FastifyReply, { content }: EventStream): FastifyReply {
  reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8')
  if (reply.request.method !== 'HEAD') return reply.send(content)
  // Nobody would read the stream, and it would never end.
  content.destroy()
  return reply.send('')
}

/** The content is user-supplied: a browser must neither guess its type nor run it. */
function sendFile(
  reply: FastifyReply,
  { name, bytes, content, type: own, is_immutable }: Download,
  { audits_at_end, download }: Contract,
): FastifyReply {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, '_')
  reply.headers({
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    'content-security-policy':
      "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; sandbox; frame-ancestors 'none'",
  })
  if (bytes !== undefined) reply.header('content-length', bytes)
  if (is_immutable) reply.header('cache-control', 'private, max-age=31536000, immutable')
  const type = own ?? [download].flat()[0] ?? 'application/octet-stream'
  reply.type(type.startsWith('text/') ? `${type}; charset=utf-8` : type)
  if (audits_at_end && reply.request.method === 'HEAD') {
    // Nobody gets the content, so nothing is recorded.
    content.destroy()
    return reply.send('')
  }
  logBreakOff(reply, content)
  return reply.send(content)
}

/** Before the first byte, an error gets its own response. After it, the connection is closed, and clients see that. */
function logBreakOff({ raw, request }: FastifyReply, content: Readable): void {
  content.once('error', error => {
    if (raw.headersSent) request.log.warn({ err: error, request_id: request.id }, 'a download broke off')
  })
}

/** Other sites embed the picture, so it must not run anything, and caches must revalidate it. */
function sendPicture(reply: FastifyReply, { svg, max_age_s }: Picture): FastifyReply {
  const etag = `"${createHash('sha256').update(svg).digest('base64url')}"`
  reply.headers({
    etag,
    'cache-control': `public, max-age=${max_age_s}, must-revalidate`,
    'content-security-policy':
      "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; sandbox; frame-ancestors 'none'",
  })
  const known = String(reply.request.headers['if-none-match'] ?? '').split(',')
  if (known.some(tag => tag.trim().replace(/^W\//, '') === etag)) return reply.code(304).send()
  return reply.type('image/svg+xml; charset=utf-8').send(svg)
}

/** Headers that mark an operation as beta or deprecated. */
function buildLifecycleHeaders({ beta, deprecated }: Contract): Record<string, string> {
  return {
    ...(beta ? { 'waybill-beta': '?1' } : {}),
    ...(deprecated ? { deprecation: `@${Math.floor(deprecated.since.getTime() / 1000)}` } : {}),
  }
}
