// Interprets the nginx configuration that `admin cells proxy` generates, as far as needed to send a request to its
// cell: `map` blocks, `upstream` blocks, the redirect and `/metrics`. The tests use it where nginx is not installed,
// so they prove the configuration itself. It can switch to another configuration while running, as `nginx -s reload`
// does.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { addCleanUp } from './clean-ups.ts'

interface Map {
  from: string
  to: string
  otherwise: string
  patterns: { pattern: RegExp; group: string }[]
  values: ReadonlyMap<string, string>
}

interface Decision {
  /** The upstream, such as `waybill_eu`. */
  upstream?: string
  redirect?: string
  status?: number
}

export interface RouterRules {
  decide(path: string): Decision
  /** The servers of an upstream, as host:port. */
  servers: Readonly<Record<string, string[]>>
}

export function readNginxConfiguration(text: string): RouterRules {
  const maps = [...text.matchAll(/^map (\$\w+) (\$\w+) \{\n([\s\S]*?)^\}$/gm)].map(readMap)
  const servers = Object.fromEntries(
    [...text.matchAll(/^upstream (\w[\w-]*) \{\n([\s\S]*?)^\}$/gm)].map(([, name = '', body = '']) => [
      name,
      [...body.matchAll(/server (\S+);/g)].map(match => match[1] ?? ''),
    ]),
  )
  return {
    servers,
    decide: path => {
      // Like $uri: decoded and without the query.
      const uri = decodeURIComponent(path.split('?', 1)[0] ?? '')
      if (uri === '/metrics') return { status: 404 }
      const values: Record<string, string> = { $uri: uri }
      for (const map of maps) values[map.to] = applyMap(map, values[map.from] ?? '')
      if (values.$waybill_page_cell) return { redirect: `${values.$waybill_page_cell}${path}` }
      return { upstream: values.$waybill_cell ?? '' }
    },
  }
}

function readMap([, from = '', to = '', body = '']: RegExpMatchArray): Map {
  const patterns: Map['patterns'] = []
  const values = new Map<string, string>()
  let otherwise = ''
  for (const line of body.trim().split('\n')) {
    const [, key = '', value = ''] = /^\s*(".*?"|\S+) (\S+);$/.exec(line) ?? []
    if (key === 'default') otherwise = value.replaceAll('"', '')
    else if (key.startsWith('"~')) {
      patterns.push({ pattern: new RegExp(key.slice(2, -1)), group: value.slice(1) })
    } else values.set(key.replace(/^\\/, '').replaceAll('"', '').toLowerCase(), value)
  }
  return { from, to, otherwise, patterns, values }
}

function applyMap({ otherwise, patterns, values }: Map, value: string): string {
  const plain = values.get(value.toLowerCase())
  if (plain !== undefined) return plain
  for (const { pattern, group } of patterns) {
    const found = pattern.exec(value)
    if (found) return found.groups?.[group] ?? ''
  }
  return otherwise
}

export interface CellRouter {
  port: number
  url: string
  /** Uses another configuration from now on. */
  reload(configuration: string): void
}

export async function startCellRouter(configuration: string): Promise<CellRouter> {
  let rules = readNginxConfiguration(configuration)
  const agent = new http.Agent({ keepAlive: true })
  const server = http.createServer((request, response) => {
    const { method, url: path = '', headers } = request
    const { status, redirect, upstream = '' } = rules.decide(path)
    if (status !== undefined) return void response.writeHead(status).end()
    if (redirect !== undefined) return void response.writeHead(302, { location: redirect }).end()
    const [host, port] = (rules.servers[upstream]?.[0] ?? '').split(':')
    const forwarded = http.request({ host, port, agent, method, path, headers }, answer => {
      const { connection, ...kept } = answer.headers
      response.writeHead(answer.statusCode ?? 0, kept)
      answer.pipe(response)
    })
    forwarded.on('error', error => response.writeHead(502).end(String(error)))
    request.pipe(forwarded)
  })
  // After a pause of this process, a limit would close connections on which a client is just about to send.
  server.keepAliveTimeout = 0
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  addCleanUp(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    reload: text => {
      rules = readNginxConfiguration(text)
    },
  }
}
