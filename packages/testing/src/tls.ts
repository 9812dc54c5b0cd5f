// TLS receivers on this host: a test certificate authority, certificates for any name, and an HTTPS server
// that records requests and responds as the test defines.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import { type AddressInfo, isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const HOUR_MS = 3_600_000
/** The default names of a sink. */
const DEFAULT_NAMES = ['127.0.0.1', '::1', 'localhost', 'hooks.example']

export interface Certificate {
  key: string
  cert: string
}

export interface TestCa {
  ca_pem: string
  /** Creates a certificate for these names and addresses, signed by the test authority by default. */
  serverFor(
    names: readonly string[],
    wrong?: { expired?: boolean; signed_by_itself?: boolean },
  ): Promise<Certificate>
}

export async function makeTestCa(): Promise<TestCa> {
  const keys = await generateKeys()
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=The authority of the tests',
    notBefore: new Date(Date.now() - HOUR_MS),
    notAfter: new Date(Date.now() + HOUR_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  })
  let serial = 1
  return {
    ca_pem: authority.toString('pem'),
    serverFor: async (names, { expired = false, signed_by_itself = false } = {}) => {
      const own = await generateKeys()
      serial += 1
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial.toString(16).padStart(4, '0'),
        subject: 'CN=A receiver of the tests',
        issuer: signed_by_itself ? 'CN=A receiver of the tests' : authority.subject,
        notBefore: new Date(Date.now() - HOUR_MS),
        notAfter: new Date(Date.now() + (expired ? -HOUR_MS / 2 : HOUR_MS)),
        publicKey: own.publicKey,
        signingKey: signed_by_itself ? own.privateKey : keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new x509.SubjectAlternativeNameExtension(
            names.map(name => ({ type: isIP(name) ? ('ip' as const) : ('dns' as const), value: name })),
          ),
        ],
      })
      return { key: await exportPem(own.privateKey), cert: certificate.toString('pem') }
    },
  }
}

interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

interface Told {
  status: number
  headers?: Record<string, string>
  body?: string
}

export interface HttpsSink {
  port: number
  /** `https://127.0.0.1:<port>`, or with the given address. */
  url: string
  ca_pem: string
  /** Oldest first. */
  requests: Received[]
  /** How many connections it has accepted. */
  connections: number
  /** The response: 200 and `ok` by default. `undefined` means no response at all. */
  answer: (request: Received) => Told | undefined | Promise<Told | undefined>
  stop(): Promise<void>
}

export interface SinkOptions {
  /** Created by default. */
  ca?: TestCa
  names?: readonly string[]
  certificate?: Certificate
  tls?: ServerOptions
  /** The address to listen on. Defaults to a free port of 127.0.0.1. */
  address?: string
  port?: number
}

export async function startHttpsSink(options: SinkOptions = {}): Promise<HttpsSink> {
  const address = options.address ?? '127.0.0.1'
  const ca = options.ca ?? (await makeTestCa())
  const certificate = options.certificate ?? (await ca.serverFor(options.names ?? DEFAULT_NAMES))
  const server = createServer({ ...certificate, ...options.tls }, async (request, response) => {
    const chunks: Buffer[] = []
    // A truncated request is not recorded.
    request.on('error', () => undefined)
    request.on('data', chunk => chunks.push(chunk))
    await new Promise(resolve => request.on('end', resolve))
    const { method = '', url: path = '', headers } = request
    const received = { method, path, headers, body: Buffer.concat(chunks).toString() }
    sink.requests.push(received)
    const reply = await sink.answer(received)
    if (reply) response.writeHead(reply.status, reply.headers).end(reply.body ?? '')
  })
  server.on('connection', () => {
    sink.connections += 1
  })
  await new Promise<void>(resolve => server.listen(options.port ?? 0, address, resolve))
  const { port } = server.address() as AddressInfo
  const sink: HttpsSink = {
    port,
    url: `https://${address}:${port}`,
    ca_pem: ca.ca_pem,
    requests: [],
    connections: 0,
    answer: () => ({ status: 200, body: 'ok' }),
    stop: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return sink
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

async function exportPem(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey('pkcs8', key)
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n')
}
