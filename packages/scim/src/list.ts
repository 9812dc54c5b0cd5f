// Lists of resources: filter, page and envelope. A filter that names one resource is looked up by an index; any other
// is tested against all resources, batch by batch.
import type { ResourceType } from './attributes.ts'
import { type Filter, parseFilter } from './filter.ts'
import { matches } from './match.ts'
import { invalidValue } from './problems.ts'
import { applyProjection, type Projection } from './projection.ts'
import type { Values } from './values.ts'

export const MAX_LISTED = 200
const DEFAULT_LISTED = 100
const BATCH = 500
const MAX_SKIPPED = 2 ** 31
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

export interface ListQuery extends Projection {
  filter: string | undefined
  startIndex: string | undefined
  count: string | undefined
}

/** How to find and render resources of one type. */
export interface Listing<Row> {
  type: ResourceType
  count(): Promise<number>
  page(slice: { limit: number; offset: number }): Promise<Row[]>
  after(from: { after: string; limit: number }): Promise<Row[]>
  /** An id that sorts before all others. */
  first_id: string
  getId(row: Row): string
  /** The resources with exactly this value if an index covers the attribute; otherwise undefined. */
  findByValue(attribute: string, value: string): Promise<Row[]> | undefined
  /** Including everything that the filter and the response need. */
  render(rows: Row[]): Promise<Values[]>
}

export function listEnvelope(resources: readonly Values[], total: number, startIndex: number) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

export async function listResources<Row>(listing: Listing<Row>, query: ListQuery) {
  const offset = Math.min(Math.max(parseInteger(query.startIndex, 'startIndex') ?? 1, 1), MAX_SKIPPED) - 1
  const limit = Math.min(Math.max(parseInteger(query.count, 'count') ?? DEFAULT_LISTED, 0), MAX_LISTED)
  const { resources, total } =
    query.filter === undefined
      ? await readPage(listing, { limit, offset })
      : await listFiltered(listing, parseFilter(listing.type, query.filter), { limit, offset })
  const shown = resources.map(resource => applyProjection(listing.type, resource, query))
  return listEnvelope(shown, total, offset + 1)
}

function parseInteger(text: string | undefined, name: string): number | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^[+-]?\d{1,15}$/.test(text)) throw invalidValue(`${name} should be a whole number`)
  return Number(text)
}

interface Slice {
  limit: number
  offset: number
}

async function readPage<Row>(listing: Listing<Row>, slice: Slice) {
  const [rows, total] = await Promise.all([listing.page(slice), listing.count()])
  return { resources: await listing.render(rows), total }
}

async function listFiltered<Row>(listing: Listing<Row>, filter: Filter, { limit, offset }: Slice) {
  const resources: Values[] = []
  let total = 0
  for await (const rows of listCandidates(listing, filter)) {
    for (const resource of await listing.render(rows)) {
      if (!matches(filter, resource)) continue
      if (total >= offset && resources.length < limit) resources.push(resource)
      total++
    }
  }
  return { resources, total }
}

async function* listCandidates<Row>(listing: Listing<Row>, filter: Filter): AsyncGenerator<Row[]> {
  for (const { attribute, value } of findRequiredValues(filter)) {
    const rows = listing.findByValue(attribute, value)
    if (rows) {
      yield await rows
      return
    }
  }
  let after = listing.first_id
  for (;;) {
    const rows = await listing.after({ after, limit: BATCH })
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    if (rows.length < BATCH) return
    after = listing.getId(last)
  }
}

/** Values that every match of the filter must have. */
function findRequiredValues(filter: Filter): { attribute: string; value: string }[] {
  if (filter.is === 'and') return filter.parts.flatMap(findRequiredValues)
  if (filter.is !== 'comparison' || filter.operator !== 'eq' || filter.path.length !== 1) return []
  const [attribute] = filter.path
  return attribute && typeof filter.operand === 'string'
    ? [{ attribute: attribute.name, value: filter.operand }]
    : []
}
