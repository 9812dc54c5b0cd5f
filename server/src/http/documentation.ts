// Serves the OpenAPI document and a page to read and try it, without credentials and without requests to other hosts:
// the page is Swagger UI with its files from the npm package.
import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../lib/errors.ts'
import { once } from '../lib/once.ts'

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Waybill API</title>
  <link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
  <div id="reader"></div>
  <script src="swagger-ui-bundle.js"></script>
  <script src="start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#reader',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

// A map, because anyone may request the file `constructor`.
const ASSETS: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
])

const assetFolder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')

/** For a program that was built without the web app. */
export function redirectToDocumentation(server: FastifyInstance, prefix: string): void {
  server.get('/', async (_request, reply) => reply.redirect(`${prefix}/doc/`))
}

export function addDocumentation(
  server: FastifyInstance,
  prefix: string,
  document: () => Record<string, unknown>,
): void {
  const text = once(() => JSON.stringify(document()))
  server.get(`${prefix}/openapi.json`, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text()),
  )
  server.get(`${prefix}/doc`, async (_request, reply) => reply.redirect(`${prefix}/doc/`))
  server.get(`${prefix}/doc/`, async (_request, reply) =>
    reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(PAGE),
  )
  server.get<{ Params: { file: string } }>(`${prefix}/doc/:file`, async (request, reply) => {
    const { file } = request.params
    if (file === 'start.js') return reply.type('text/javascript; charset=utf-8').send(START)
    const type = ASSETS.get(file)
    if (type === undefined) throw notFound('There is nothing at this address')
    reply.header('cache-control', 'public, max-age=3600')
    return reply.type(type).send(createReadStream(join(assetFolder, file)))
  })
}
