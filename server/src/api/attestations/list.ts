// GET /attestations/{org}: attestations of the organization, newest first, filtered, paged by cursor; or one by id.

import { RE2JS } from 're2js'
import type { Database } from '../../db/database.ts'
import { toStoredType } from '../../domain/attestation/types.ts'
import { invalid } from '../../lib/errors.ts'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { readEpochBounds } from '../shared/epoch-times.ts'
import { OrgPath } from '../shared/fields.ts'
import { type AttestationRow, findAttestation, listAttestations as readPage } from './store.ts'
import { AttestationListQuery, AttestationPage, type Site, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 20
/** How many rows a search by regular expression examines for one page. */
const MAX_SEARCHED = 5_000

export const listAttestations = defineOperation(
  {
    id: 'listAttestations',
    method: 'GET',
    path: '/attestations/{org}',
    tag: 'Attestations',
    summary: 'List attestations, newest first',
    description: 'Paged by cursor: send `pagination.after` of one page as `after` to get the next',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: AttestationListQuery,
    returns: AttestationPage,
    fails: [400, 403],
    example: { query: { name: 'unit-tests', is_compliant: 'true' } },
  },
  async ({ query, org }, { db, base_url }) => {
    const site = { base_url, org: org.name, org_id: org.org_id }
    if (query.attestation_id !== undefined) {
      const id = parseWireId(query.attestation_id)
      const found = id && (await findAttestation(db, org.org_id, id))
      return {
        data: found ? [toWire(found, site)] : [],
        pagination: { per_page: getPerPage(query), after: null },
      }
    }
    return listAttestationPage(query, null, site, db)
  },
)

export type Query = Partial<{
  archived: boolean
  name: string
  name_regex: string
  per_page: number
  flow: string[]
  type: string[]
  is_compliant: boolean
  is_waiting: boolean
  from_timestamp: number
  to_timestamp: number
  after: string
}>

/** One page of the matching attestations, of one flow or of all. */
export async function listAttestationPage(query: Query, flow_id: string | null, site: Site, db: Database) {
  const { org_id } = site
  const per_page = getPerPage(query)
  const matches = compileMatcher(query.name_regex)
  const searched = query.name_regex === undefined ? per_page : MAX_SEARCHED
  const rows = await db.withTransaction({ org_id }, tx =>
    readPage(tx, org_id, { ...buildFilter(query, flow_id), flow_id }, searched),
  )
  const data = rows.filter(row => matches(row.attestation_name)).slice(0, per_page)
  return {
    data: data.map(row => toWire(row, site)),
    pagination: { per_page, after: getNextCursor(rows, data, searched, per_page) },
  }
}

export const getPerPage = ({ per_page = DEFAULT_PER_PAGE }: Query): number => per_page

export function buildFilter(query: Query, flow_id: string | null) {
  const after = query.after === undefined ? null : parseWireId(query.after)
  if (after === undefined)
    throw invalid({ 'query.after': 'Input should be the `pagination.after` of a page' })
  const { from_at, to_at } = readEpochBounds(query, 'from_timestamp', 'to_timestamp')
  return {
    // A single flow has already been checked for being archived.
    archived: flow_id === null ? (query.archived ?? false) : null,
    name: query.name ?? null,
    flows: query.flow ?? null,
    types: query.type?.map(toStoredType) ?? null,
    is_compliant: query.is_compliant ?? null,
    is_waiting: query.is_waiting ?? null,
    from: from_at,
    to: to_at,
    after,
  }
}

/** RE2 runs in time linear in the length of the name, whatever the pattern. */
function compileMatcher(pattern: string | undefined): (name: string) => boolean {
  if (pattern === undefined) return () => true
  try {
    const compiled = RE2JS.compile(pattern)
    return name => compiled.matcher(name).find()
  } catch {
    throw invalid({ 'query.name_regex': `Input should be a valid regular expression [input: ${pattern}]` })
  }
}

/** Null at the end; else the last examined row, so that no match is skipped or repeated. */
function getNextCursor(rows: AttestationRow[], data: AttestationRow[], searched: number, per_page: number) {
  const last = data.length === per_page ? data.at(-1) : rows.length === searched ? rows.at(-1) : undefined
  return last ? toWireId(last.attestation_id) : null
}
