// `admin cells proxy --orgs FILE`: the configuration of an nginx in front of several cells, made from a file that
// names the cell of each org. Moving an org changes one line of that file.
import { type Static, Type } from 'typebox'
import { parseDocument } from 'yaml'
import { Closed } from '../api/shared/wire.ts'
import { isReservedOrgName, ORG_NAME } from '../domain/names.ts'
import type { CellRoutes } from '../http/cell-routes.ts'
import { makeBodyShapeCheck } from '../lib/shape.ts'
import { AdminProblem } from './actor.ts'

const DEFAULT_LISTEN = '8080'
const CELL_NAME = '^[a-z][a-z0-9-]*$'
/** Excludes everything that could end an nginx directive. */
const SERVER = '^[a-zA-Z0-9.\\-]+:[0-9]+$'
const ADDRESS = '^https?://[a-zA-Z0-9.\\-]+(:[0-9]+)?$'
const LISTEN = '^[a-zA-Z0-9.:\\[\\]]+( ssl)?$'

const Cells = Closed('Cells', {
  home: Type.String({ pattern: CELL_NAME }),
  listen: Type.Optional(Type.String({ pattern: LISTEN })),
  cells: Type.Record(
    Type.String(),
    Closed('Cell', {
      url: Type.String({ pattern: ADDRESS }),
      servers: Type.Array(Type.String({ pattern: SERVER }), { minItems: 1 }),
    }),
  ),
  orgs: Type.Record(Type.String(), Type.String()),
})
export type Cells = Static<typeof Cells>

/** Reports all mistakes in the file at once. */
export function parseCells(text: string): Cells {
  const document = parseDocument(text)
  const [syntax] = document.errors
  if (syntax) throw new AdminProblem(`The file is not valid YAML: ${syntax.message.split('\n', 1)[0]}`)
  const value: unknown = document.toJS({ maxAliasCount: 0 }) ?? {}
  const errors = makeBodyShapeCheck(Cells)(value, '')
  const found = errors
    ? Object.entries(errors).map(([field, sentence]) => `${field || 'file'}: ${sentence}`)
    : listContradictions(value as Cells)
  if (found.length > 0)
    throw new AdminProblem(`The file cannot be used:\n${found.map(line => `  ${line}`).join('\n')}`)
  return value as Cells
}

function listContradictions({ home, cells, orgs }: Cells): string[] {
  const names = Object.keys(cells)
  const isCell = (name: string) => Object.hasOwn(cells, name)
  const seen = new Set<string>()
  return [
    ...(isCell(home) ? [] : [`home: there is no cell ${home}`]),
    ...names
      .filter(name => !new RegExp(CELL_NAME).test(name))
      .map(name => `cells: ${name} must match ${CELL_NAME}`),
    ...Object.entries(orgs).flatMap(([org, cell]) => {
      const key = org.toLowerCase()
      const problems = [
        ...(isCell(cell) ? [] : [`orgs.${org}: there is no cell ${cell}`]),
        ...(new RegExp(ORG_NAME).test(org) && !isReservedOrgName(org)
          ? []
          : [`orgs.${org}: no organization can have this name`]),
        ...(seen.has(key)
          ? [`orgs.${org}: names are the same in capital letters, and this one is there twice`]
          : []),
      ]
      seen.add(key)
      return problems
    }),
  ]
}

/** nginx ignores case in org names, as Waybill does. */
export function writeNginxConfiguration(file: Cells, routes: CellRoutes): string {
  const { home, cells, orgs, listen = DEFAULT_LISTEN } = file
  const moved = Object.entries(orgs)
    .filter(([, cell]) => cell !== home)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const upstreams = Object.entries(cells).map(
    ([name, { servers }]) =>
      `upstream ${toUpstream(name)} {\n${indent(servers.map(server => `server ${server};`))}\n}\n`,
  )
  const capture = (pattern: string, name: string) =>
    `"~${pattern.replace(/\(\[\^\/\]\+\)$/, `(?<${name}>[^/]+)`)}" $${name};`
  const maps = [
    writeMap(
      '$uri',
      '$waybill_org',
      '""',
      routes.api.map((pattern, i) => capture(pattern, `waybill_org_${i + 1}`)),
    ),
    writeMap(
      '$waybill_org',
      '$waybill_cell',
      toUpstream(home),
      moved.map(([org, cell]) => `${quote(org)} ${toUpstream(cell)};`),
    ),
    writeMap('$uri', '$waybill_page_org', '""', [capture(routes.page, 'waybill_first')]),
    writeMap(
      '$waybill_page_org',
      '$waybill_page_cell',
      '""',
      moved.map(([org, cell]) => `${quote(org)} ${cells[cell]?.url};`),
    ),
  ]
  return [HEAD, ...upstreams, ...maps, SERVER_BLOCK.replace('LISTEN', listen)].join('\n')
}

const toUpstream = (cell: string) => `waybill_${cell}`
/** In a map, `default`, `hostnames`, `include` and `volatile` mean something else without the backslash. */
const quote = (org: string) => (/^(default|hostnames|include|volatile)$/.test(org) ? `\\${org}` : `"${org}"`)
const indent = (lines: readonly string[]) => lines.map(line => `  ${line}`).join('\n')

function writeMap(from: string, to: string, otherwise: string, lines: readonly string[]): string {
  return `map ${from} ${to} {\n${indent([`default ${otherwise};`, ...lines])}\n}\n`
}

const HEAD = `# Made by "waybill admin cells proxy"; edit the file of organizations instead. Include it in the http block of nginx.
`

const SERVER_BLOCK = `server {
  listen LISTEN;
  # Waybill has limits of its own, and streams large files.
  client_max_body_size 0;
  proxy_request_buffering off;
  proxy_max_temp_file_size 0;
  proxy_http_version 1.1;
  proxy_read_timeout 120s;
  proxy_set_header Connection "";
  proxy_set_header Host $host;
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;

  location / {
    # A page of an organization in another cell: the session of the person is at that cell's own address.
    if ($waybill_page_cell) {
      return 302 $waybill_page_cell$request_uri;
    }
    proxy_pass http://$waybill_cell;
  }

  # Each cell is measured at its own address.
  location = /metrics {
    return 404;
  }
}
`
