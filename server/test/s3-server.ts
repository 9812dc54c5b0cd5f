// A small in-memory S3 server, path style: objects, paged lists, multipart uploads. Enough to test a real client,
// with a switch for every way it can fail.
import { createHash } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

const PAGE = 2

interface StoredObject {
  content: Buffer
  modified: Date
  /** SHA-256 in base64, if it was sent. */
  checksum?: string | undefined
}

export interface S3Server {
  endpoint: string
  objects: Map<string, StoredObject>
  uploads: Map<string, Map<number, Buffer>>
  /** Method and path of every request, with the kind of multipart step. */
  requests: string[]
  authorizations: Set<string>
  /** Makes a step fail when it returns a status, or a status with the code of an error. */
  failWith: (step: string) => number | [status: number, code: string] | undefined
  /** How it treats checksums: as S3 does, like a server that has not heard of them, or like one that refuses them. */
  checksums: 'known' | 'ignored' | 'refused'
  /** Confirms uploads, and keeps this instead. */
  keep: (content: Buffer) => Buffer | undefined
  /** Closes the connection of a download after this many bytes. */
  cut_after: number | undefined
  stop(): Promise<void>
}

export async function startS3Server(bucket: string): Promise<S3Server> {
  const state: Omit<S3Server, 'endpoint' | 'stop'> = {
    objects: new Map(),
    uploads: new Map(),
    requests: [],
    authorizations: new Set(),
    failWith: () => undefined,
    checksums: 'known',
    keep: content => content,
    cut_after: undefined,
  }
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://s3')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const [, found_bucket, ...rest] = decodeURIComponent(url.pathname).split('/')
    const step = getStep(request.method ?? '', url, rest.join('/'))
    state.requests.push(step)
    state.authorizations.add(request.headers.authorization ?? '')
    const { headers } = request
    const failure =
      made.failWith(step) ?? (found_bucket === bucket ? undefined : ([404, 'NoSuchBucket'] as const))
    const call = { step, key: rest.join('/'), query: url.searchParams, body: Buffer.concat(chunks), headers }
    const reply = failure === undefined ? replyTo(made, call) : refuse(failure)
    response.writeHead(reply.status, reply.headers)
    const { cut_after } = made
    if (step !== 'get' || cut_after === undefined)
      return response.end(step === 'head' ? undefined : reply.body)
    response.write(reply.body?.slice(0, cut_after), () => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const made: S3Server = Object.assign(state, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  })
  return made
}

function getStep(method: string, url: URL, key: string): string {
  const { searchParams: query } = url
  if (method === 'GET' && key === '') return 'list'
  if (method === 'POST') return query.has('uploads') ? 'create' : 'complete'
  if (query.has('uploadId')) return method === 'DELETE' ? 'abort' : 'part'
  return method.toLowerCase()
}

interface Call {
  step: string
  key: string
  query: URLSearchParams
  body: Buffer
  headers: http.IncomingHttpHeaders
}

interface Reply {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer
}

const xml = (body: string): Reply => ({ status: 200, headers: { 'content-type': 'application/xml' }, body })

/** A status alone has no body, like the answers of some proxies. */
function refuse(failure: number | readonly [status: number, code: string]): Reply {
  if (typeof failure === 'number') return { status: failure }
  const [status, code] = failure
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>In the words of the store</Message></Error>`
  return { status, headers: { 'content-type': 'application/xml;charset=utf-8' }, body }
}

function replyTo(server: S3Server, call: Call): Reply {
  const { objects, uploads, checksums } = server
  const { step, key, query, body } = call
  const [sent, asked] = [
    call.headers['x-amz-checksum-sha256']?.toString(),
    call.headers['x-amz-checksum-mode'],
  ]
  if (checksums === 'refused' && (sent ?? asked) !== undefined) return refuse([400, 'InvalidArgument'])
  if (checksums === 'known' && sent !== undefined && sent !== hashOf(body)) return refuse([400, 'BadDigest'])
  const upload_id = query.get('uploadId') ?? ''
  const parts = uploads.get(upload_id) ?? new Map<number, Buffer>()
  const found = objects.get(key)
  const etag = `"${createHash('md5').update(body).digest('hex')}"`
  switch (step) {
    case 'list':
      return xml(buildList(objects, query))
    case 'create': {
      const id = `upload-${uploads.size}`
      uploads.set(id, new Map())
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    case 'part':
      parts.set(Number(query.get('partNumber')), body)
      return { status: 200, headers: { etag } }
    case 'complete': {
      const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(match => Number(match[1]))
      const content = Buffer.concat(numbers.map(number => parts.get(number) ?? Buffer.alloc(0)))
      keepObject(server, key, { content, modified: new Date() })
      uploads.delete(upload_id)
      return xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>')
    }
    case 'abort':
      uploads.delete(upload_id)
      return { status: 204 }
    case 'put':
      keepObject(server, key, { content: body, modified: new Date(), checksum: sent })
      return { status: 200, headers: { etag } }
    case 'delete':
      objects.delete(key)
      return { status: 204 }
    default:
      if (!found) return refuse([404, 'NoSuchKey'])
      return {
        status: 200,
        headers: {
          'content-length': String(found.content.length),
          // Under SSE-KMS it is no hash of the content.
          etag: '"0123456789abcdef0123456789abcdef"',
          ...(checksums === 'known' && asked && found.checksum
            ? { 'x-amz-checksum-sha256': found.checksum }
            : {}),
        },
        body: found.content,
      }
  }
}

function keepObject({ objects, keep }: S3Server, key: string, stored: StoredObject): void {
  const content = keep(stored.content)
  if (!content) return
  objects.set(key, { ...stored, content, checksum: stored.checksum && hashOf(content) })
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('base64')

function buildList(objects: S3Server['objects'], query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
  const limit = Math.min(PAGE, Number(query.get('max-keys') ?? PAGE))
  const keys = [...objects.keys()]
    .sort()
    .filter(key => key.startsWith(query.get('prefix') ?? '') && key > after)
  const contents = keys.slice(0, limit).map(key => {
    const { content, modified } = objects.get(key) ?? { content: Buffer.alloc(0), modified: new Date(0) }
    const [size, time] = [content.length, modified.toISOString()]
    return `<Contents><Key>${key}</Key><Size>${size}</Size><LastModified>${time}</LastModified></Contents>`
  })
  const is_more = keys.length > limit
  const next = is_more ? `<NextContinuationToken>${keys[limit - 1]}</NextContinuationToken>` : ''
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${is_more}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`
}
