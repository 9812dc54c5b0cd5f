// Serves the web app: its built files, and for every page the one document that starts it, with a fresh nonce.
// Everything is read once at start; no request is ever looked up on disk.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { once } from '../lib/once.ts'
import { acceptsCoding } from './compression.ts'
import { isPage } from './page-path.ts'

const NONCE = /\{\{nonce\}\}/g
/** The build does not know the path that the app is served under, and pages have paths of any depth. */
const OWN_FILE = /"\.\//g
const A_YEAR_S = 31_536_000
/** The suffix of compressed copies. */
const BROTLI = '.br'
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

interface WebFile {
  type: string
  bytes: Buffer
  gzipped: () => Buffer
  /** Present if the build made a compressed copy. */
  brotli: Buffer | undefined
}

export interface WebApp {
  document: string
  /** By path: `/assets/…` and the files next to the document. */
  files: ReadonlyMap<string, WebFile>
}

/** Undefined if the web app was not built. */
export function readWebApp(folder: string): WebApp | undefined {
  const files = new Map<string, WebFile>()
  const paths = new Set(listFiles(folder))
  for (const path of paths) {
    if (path.endsWith(BROTLI)) continue
    const bytes = readFileSync(join(folder, path))
    const type = TYPES[extname(path)] ?? 'application/octet-stream'
    const compressed = `${path}${BROTLI}`
    const brotli = paths.has(compressed) ? readFileSync(join(folder, compressed)) : undefined
    files.set(`/${path}`, { type, bytes, gzipped: once(() => gzipSync(bytes)), brotli })
  }
  const document = files.get('/index.html')?.bytes.toString()
  files.delete('/index.html')
  return document === undefined ? undefined : { document, files }
}

export function addWebApp(
  server: FastifyInstance,
  app: WebApp,
  { base_path, newNonce }: { base_path: string; newNonce: () => string },
): void {
  const document = app.document.replaceAll(OWN_FILE, `"${base_path}/`)
  for (const [path, file] of app.files) {
    server.get(path, (request, reply) => sendFile(request, reply, path, file))
  }
  const sendDocument = (_request: FastifyRequest, reply: FastifyReply) => {
    const nonce = newNonce()
    return reply
      .header('content-security-policy', buildContentPolicy(nonce))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(document.replace(NONCE, nonce))
  }
  server.get('/', sendDocument)
  for (const path of ['/:org', '/:org/*']) {
    const options = { config: { is_page: true } }
    server.get<{ Params: { org: string; '*'?: string } }>(path, options, (request, reply) => {
      const { org, '*': rest } = request.params
      return isPage(org, rest) ? sendDocument(request, reply) : reply.callNotFound()
    })
  }
}

/** The names of built files change with their content; the few others are revalidated. */
function sendFile(request: FastifyRequest, reply: FastifyReply, path: string, file: WebFile): FastifyReply {
  const isNamedByContent = path.startsWith('/assets/')
  reply
    .type(file.type)
    .header('vary', 'accept-encoding')
    .header(
      'cache-control',
      isNamedByContent ? `public, max-age=${A_YEAR_S}, immutable` : 'public, max-age=3600',
    )
  const accepted = request.headers['accept-encoding']
  if (file.brotli && acceptsCoding(accepted, 'br')) {
    return reply.header('content-encoding', 'br').send(file.brotli)
  }
  if (!acceptsCoding(accepted, 'gzip')) return reply.send(file.bytes)
  return reply.header('content-encoding', 'gzip').send(file.gzipped())
}

/** Only files from this server; styles that components create have the nonce of the page. */
function buildContentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(folder, join(entry.parentPath, entry.name)))
  } catch {
    // The folder does not exist: the program was built without the web app.
    return []
  }
}
