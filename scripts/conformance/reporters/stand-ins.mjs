// Fakes on loopback: a cluster and a container engine that both clients observe, and a service that records their
// reports.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** `answer` returns a status and a body, or undefined for 404. */
export async function startStandIn(answer) {
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString('utf8')
    const { status = 404, json = { message: 'not found' } } =
      answer(new URL(request.url, 'http://x'), body) ?? {}
    response.writeHead(status, { 'content-type': 'application/json', 'api-version': '1.44' })
    response.end(JSON.stringify(json))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: server.address().port,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function answerAsCluster(pods, { pathname }) {
  const found = /^\/api\/v1\/(?:namespaces\/([^/]+)\/)?pods$/.exec(pathname)
  if (pathname === '/api/v1/namespaces') return { status: 200, json: listNamespaces(pods) }
  if (found === null) return undefined
  const items = pods.filter(({ metadata }) => found[1] === undefined || metadata.namespace === found[1])
  return {
    status: 200,
    json: { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items },
  }
}

function listNamespaces(pods) {
  const names = [...new Set(pods.map(({ metadata }) => metadata.namespace))]
  const items = names.map(name => ({ metadata: { name } }))
  return { kind: 'NamespaceList', apiVersion: 'v1', metadata: {}, items }
}

export function answerAsEngine({ containers, images }, { pathname }) {
  const path = pathname.replace(/^\/v\d+\.\d+/, '')
  if (path === '/_ping') return { status: 200, json: 'OK' }
  if (path === '/containers/json') return { status: 200, json: containers }
  const id = /^\/images\/(.+)\/json$/.exec(path)?.[1]
  const image = images.find(({ Id, RepoTags }) => [Id, ...RepoTags].includes(decodeURIComponent(id ?? '')))
  return image === undefined ? undefined : { status: 200, json: image }
}

/** Keeps the body of the last report. */
export function makeService() {
  const kept = { report: undefined }
  const answer = ({ pathname }, body) => {
    if (pathname.includes('/report/')) kept.report = JSON.parse(body)
    return { status: 200, json: 'OK' }
  }
  return { kept, answer }
}
