// The methods of an address, from the registered routes: the `Allow` header of a 405 lists them.
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of the web app: their routes match almost every path, and decide later whether it is a page. */
    is_page?: boolean
  }
}

interface Route {
  pattern: RegExp
  methods: readonly string[]
}

/** Call it before any route is added. Every GET route has a HEAD route, which Fastify adds. */
export function watchMethods(server: FastifyInstance): (path: string) => string[] {
  const routes: Route[] = []
  server.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.is_page) routes.push({ pattern: toPattern(url), methods: [method].flat() })
  })
  return path => {
    const matching = routes.filter(({ pattern }) => pattern.test(path))
    return [...new Set(matching.flatMap(({ methods }) => methods))]
  }
}

/** `/flows/:org/*` in Fastify's notation: a star matches the rest of the path. */
function toPattern(url: string): RegExp {
  const pattern = url
    .replaceAll(/[.+()|[\]{}^$?\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll(/:\w+/g, '[^/]+')
  return new RegExp(`^${pattern}$`)
}
