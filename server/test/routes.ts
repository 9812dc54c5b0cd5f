// Reads the routes of a server from its router.

/** Parses the output of Fastify's printRoutes(), which has the actual routes. */
export function parseRoutes(drawing: string): string[] {
  const open: string[] = []
  const routes: string[] = []
  for (const line of drawing.split('\n')) {
    const match = /^([│├└─\s]*)(\S+)(?: \(([A-Z, ]+)\))?/.exec(line)
    if (!match?.[2]) continue
    const depth = Math.floor((match[1] ?? '').length / 4)
    open.length = Math.max(0, depth - 1)
    const path = open.join('') + match[2]
    open.push(match[2])
    for (const method of match[3]?.split(', ') ?? []) {
      if (method !== 'HEAD') routes.push(`${method} ${path.replaceAll(/:(\w+)(\(\^[^)]*\$\))?/g, '{$1}')}`)
    }
  }
  return routes
}
