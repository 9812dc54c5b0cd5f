// Which requests name an org in their path, and where: read from the operations' contracts, so that a proxy in front
// of several cells sends each request to its org's cell. All other requests go to the home cell.
import type { Operation } from '../api/operation.ts'
import { PREFIX_ALIAS } from './compat.ts'
import { SCIM_PREFIX } from './scim.ts'
import { API_PREFIX } from './server.ts'

const ORG = '{org}'
const PREFIX = `(?:${API_PREFIX}|${PREFIX_ALIAS})`

/** A regular expression without an end anchor; its only group is the name of the org. For nginx and JavaScript. */
export interface CellRoutes {
  /** Requests that the org's cell answers, whatever the host. */
  api: readonly string[]
  /** Pages for people: a browser is sent to the cell's own address, where its session is. */
  page: string
}

export function listCellRoutes(operations: readonly Pick<Operation, 'contract'>[]): CellRoutes {
  const paths = operations.map(({ contract }) => contract.path)
  const prefixes = [
    ...new Set(paths.filter(path => path.includes(ORG)).map(path => path.split(ORG, 1)[0] ?? '')),
  ]
  // The segment after `/user/` may be an org or one of our own words, such as `sessions`, which are not orgs.
  const words = (prefix: string) => [
    ...new Set(
      paths
        .filter(path => path.startsWith(prefix) && !path.startsWith(prefix + ORG))
        .map(path => path.slice(prefix.length).split('/', 1)[0] ?? ''),
    ),
  ]
  const plain = prefixes.filter(prefix => words(prefix).length === 0).sort()
  const others = prefixes.filter(prefix => words(prefix).length > 0).sort()
  return {
    api: [
      `^${PREFIX}/(?:${plain.map(prefix => escapePattern(prefix.slice(1, -1))).join('|')})/([^/]+)`,
      ...others.map(prefix => {
        const own = words(prefix).sort().map(escapePattern).join('|')
        return `^${PREFIX}${escapePattern(prefix)}(?!(?:${own})(?:/|$))([^/]+)`
      }),
      `^${SCIM_PREFIX.replace(':org', '')}([^/]+)`,
    ],
    page: '^/([^/]+)',
  }
}

const escapePattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
