// A small registry on this machine for tests: manifests, basic and bearer authentication, and any other
// response that a test defines.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { digestManifest } from './manifest.ts'

export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json'
export const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json'
export const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json'

export interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
}

interface SeenRequest {
  method: string
  /** Including the query. */
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export type Answer = (request: SeenRequest, response: ServerResponse) => Reply | 'answered' | undefined

export interface TestRegistry {
  host: string
  requests: SeenRequest[]
}

/** Responds with 404 if the test defines nothing else. */
export async function startRegistry(answer: Answer): Promise<TestRegistry> {
  const requests: SeenRequest[] = []
  const server = createServer(async (incoming, response) => {
    let body = ''
    for await (const text of incoming.setEncoding('utf8')) body += text
    const { method = '', url: path = '', headers } = incoming
    const request = { method, path, headers, body }
    requests.push(request)
    const reply = answer(request, response)
    if (reply === 'answered') return
    response.writeHead(reply?.status ?? (reply ? 200 : 404), reply?.headers).end(reply?.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** A response with a manifest and the headers of a registry. */
export function serveManifest(body: string, media_type: string, headers: Record<string, string> = {}): Reply {
  const digest = digestManifest(Buffer.from(body))
  return { body, headers: { 'content-type': media_type, 'docker-content-digest': digest, ...headers } }
}

export const SOME_DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`

export function formatManifest(media_type: string, more: object = {}): string {
  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest: SOME_DIGEST, size: 7 }
  return JSON.stringify({ schemaVersion: 2, mediaType: media_type, config, layers: [], ...more })
}

export function formatIndex(media_type: string, entries: readonly object[]): string {
  const manifests = entries.map(entry => ({
    mediaType: OCI_MANIFEST,
    digest: SOME_DIGEST,
    size: 7,
    ...entry,
  }))
  return JSON.stringify({ schemaVersion: 2, mediaType: media_type, manifests })
}

export function formatBasic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
