// A small fake of a cluster's API server: lists pods in pages, streams changes since a list, expires old
// lists, and refuses namespaces, as the real one does.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface FakePod {
  name: string
  namespace: string
  phase?: string
  containers?: FakeContainer[]
  init?: FakeContainer[]
  debug?: (FakeContainer & { is_running: boolean })[]
}

export interface FakeContainer {
  name: string
  image: string
  image_id: string
}

export interface KubernetesApi {
  url: string
  /** How often a list was requested, counting pages. */
  countLists(): number
  countWatches(): number
  set(pod: FakePod): void
  remove(namespace: string, name: string): void
  forbid(namespace: string): void
  /** Makes the next watch fail with 410. */
  expire(): void
  /** Ends all open watches, as the real server does after some minutes. */
  endWatches(): void
  /** Cuts the connections of all open watches. */
  cut(): void
  stop(): Promise<void>
}

interface Watcher {
  namespace: string | undefined
  response: ServerResponse
}

interface Change {
  type: string
  version: number
  object: ReturnType<typeof describePod>
}

export async function startKubernetesApi(): Promise<KubernetesApi> {
  const pods = new Map<string, object>()
  const forbidden = new Set<string>()
  const watchers = new Set<Watcher>()
  const counts = { lists: 0, watches: 0 }
  let version = 1
  let isExpired = false
  const changes: Change[] = []
  const tell = (change: Change) => {
    changes.push(change)
    for (const watcher of watchers) writeChange(watcher, change)
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://cluster')
    const namespace = /^\/api\/v1\/namespaces\/([^/]+)\/pods$/.exec(url.pathname)?.[1]
    if (namespace !== undefined && forbidden.has(namespace))
      return send(response, 403, { message: `pods is forbidden in ${namespace}` })
    if (url.searchParams.get('watch') === 'true') {
      counts.watches += 1
      if (isExpired) {
        isExpired = false
        return send(response, 410, { message: 'too old resource version' })
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.flushHeaders()
      const watcher = { namespace, response }
      const since = Number(url.searchParams.get('resourceVersion'))
      for (const change of changes) if (change.version > since) writeChange(watcher, change)
      watchers.add(watcher)
      response.on('close', () => watchers.delete(watcher))
      return
    }
    counts.lists += 1
    const all = [...pods.entries()].filter(
      ([key]) => namespace === undefined || key.startsWith(`${namespace}/`),
    )
    const limit = Number(url.searchParams.get('limit') ?? all.length)
    const from = Number(url.searchParams.get('continue') ?? 0)
    const next = from + limit < all.length ? String(from + limit) : ''
    const items = all.slice(from, from + limit).map(([, pod]) => pod)
    send(response, 200, { metadata: { resourceVersion: String(version), continue: next }, items })
  }
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    countLists: () => counts.lists,
    countWatches: () => counts.watches,
    set: pod => {
      version += 1
      const key = `${pod.namespace}/${pod.name}`
      const described = describePod(pod, version)
      tell({ type: pods.has(key) ? 'MODIFIED' : 'ADDED', version, object: described })
      pods.set(key, described)
    },
    remove: (namespace, name) => {
      version += 1
      tell({ type: 'DELETED', version, object: describePod({ name, namespace }, version) })
      pods.delete(`${namespace}/${name}`)
    },
    forbid: namespace => void forbidden.add(namespace),
    expire: () => {
      isExpired = true
    },
    endWatches: () => {
      for (const { response } of watchers) response.end()
    },
    cut: () => {
      for (const { response } of watchers) response.destroy()
    },
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

function writeChange({ namespace, response }: Watcher, { type, object }: Change): void {
  if (namespace !== undefined && namespace !== object.metadata.namespace) return
  response.write(`${JSON.stringify({ type, object })}\n`)
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function describePod(
  { name, namespace, phase = 'Running', containers = [], init = [], debug = [] }: FakePod,
  version: number,
) {
  const describe = ({ name: container, image, image_id }: FakeContainer) => ({
    name: container,
    image,
    imageID: image_id,
    state: { running: { startedAt: '2026-01-02T03:04:05Z' } },
  })
  return {
    metadata: {
      name,
      namespace,
      uid: `${namespace}-${name}`,
      creationTimestamp: '2026-01-02T03:04:00Z',
      resourceVersion: String(version),
    },
    status: {
      phase,
      containerStatuses: containers.map(describe),
      initContainerStatuses: init.map(describe),
      ephemeralContainerStatuses: debug.map(each => ({
        ...describe(each),
        state: each.is_running ? { running: { startedAt: '2026-01-02T03:04:05Z' } } : { terminated: {} },
      })),
    },
  }
}
