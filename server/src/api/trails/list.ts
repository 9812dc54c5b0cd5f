// GET /trails/{org}: the trails of the org, newest first, paged.

import type { Db } from '../../db/database.ts'
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { resolveFingerprint } from '../shared/fingerprints.ts'
import { buildPagination, readPageRequest, toSlice } from '../shared/page.ts'
import { readBounds } from '../shared/periods.ts'
import { listTrails as readPage } from './list-store.ts'
import { TrailListQuery, TrailPage, toSummary } from './wire.ts'

const DEFAULT_PER_PAGE = 20

export const listTrails = defineOperation(
  {
    id: 'listTrails',
    method: 'GET',
    path: '/trails/{org}',
    tag: 'Trails',
    summary: 'List trails, newest first',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: TrailListQuery,
    returns: TrailPage,
    fails: [400, 403, 404],
    example: { query: { page: '1', per_page: '20', search_by_name: 'release-2026' } },
  },
  async ({ query, org }, { db, base_url }) => {
    const { org_id } = org
    const page = readPageRequest(query, DEFAULT_PER_PAGE) ?? { page: 1, per_page: DEFAULT_PER_PAGE }
    const bounds = readBounds(query)
    const { rows, total } = await db.withTransaction({ org_id }, async tx => {
      const { archived = false } = query
      const flow_id = query.flow === undefined ? null : await requireFlow(tx, org, query.flow, archived)
      const fingerprint = await resolveFingerprintFilter(tx, org_id, { flow_id, archived }, query.fingerprint)
      const filter = { archived, flow_id, fingerprint, ...parseFlowTag(query.flow_tag), ...bounds }
      return readPage(tx, org_id, filter, query, toSlice(page))
    })
    const site = { base_url, org: org.name }
    return { data: rows.map(row => toSummary(row, site)), pagination: buildPagination(page, total) }
  },
)

/** Null for any. An empty or unknown prefix is returned unchanged, and matches no artifact. */
async function resolveFingerprintFilter(
  tx: Db,
  org_id: string,
  scope: { flow_id: string | null; archived: boolean },
  prefix: string | undefined,
) {
  if (prefix === undefined) return null
  return prefix === '' ? '' : ((await resolveFingerprint(tx, org_id, { ...scope, prefix })) ?? prefix)
}

/** `key=value`; a text without an equals sign matches no flow. */
function parseFlowTag(flow_tag: string | undefined): { tag_key: string | null; tag_value: string | null } {
  if (flow_tag === undefined) return { tag_key: null, tag_value: null }
  const [key = '', ...value] = flow_tag.split('=')
  return { tag_key: key, tag_value: value.length === 0 ? null : value.join('=') }
}
