// GET /builds/{org}: builds, newest first, each artifact once.

import type { Db } from '../../db/database.ts'
import { computeLengthInDays, resolvePeriod } from '../../domain/period.ts'
import { invalid } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { noSuchRepo } from '../repos/problems.ts'
import { fromEpoch } from '../shared/epoch-times.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildLinkedEnvelope, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import { requireOrder } from '../shared/periods.ts'
import * as store from './store.ts'
import { BuildListQuery, BuildPage, DEFAULT_DAYS, toWire } from './wire.ts'

/** Limited because the query reads all builds of the organization in the period. */
const MAX_DAYS = 366

export const listBuilds = defineOperation(
  {
    id: 'listBuilds',
    method: 'GET',
    path: '/builds/{org}',
    tag: 'Artifacts',
    summary: 'List builds, newest first',
    description: `For at most ${MAX_DAYS} days. An artifact that is reported again is listed once, as first reported`,
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: BuildListQuery,
    returns: BuildPage,
    fails: [400, 403, 404],
    example: { query: { page: '1', per_page: '15' } },
  },
  ({ query, org, now, url }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const given = { from: fromEpoch(query.start_ts), to: fromEpoch(query.end_ts) }
      const period = requireOrder(resolvePeriod(given, DEFAULT_DAYS, now), 'start_ts')
      if (computeLengthInDays(period) > MAX_DAYS) {
        throw invalid({ 'query.start_ts': `The period should be at most ${MAX_DAYS} days long` })
      }
      const page = readLinkedPageRequest(query)
      const filter = { ...period, repo_ids: await resolveRepoIds(tx, org.org_id, query) }
      const { rows, total } = await store.listBuilds(tx, org.org_id, filter, toSlice(page))
      const site = { base_url, org: org.name }
      return { builds: rows.map(row => toWire(row, site)), ...buildLinkedEnvelope(url, query, page, total) }
    }),
)

type Query = Partial<Record<'repo_id' | 'repo_name' | 'repo_inner_id', string>>

/** The repositories that match all filters; null without filters. Throws 404 when there are none. */
async function resolveRepoIds(tx: Db, org_id: string, query: Query): Promise<string[] | null> {
  const { repo_id: external_id, repo_name: name, repo_inner_id } = query
  const requested = name || external_id || repo_inner_id
  // Clients send unset filters as empty strings.
  if (!requested) return null
  const repo_id = repo_inner_id ? parseWireId(repo_inner_id) : null
  if (repo_id === undefined) throw noSuchRepo(requested)
  const found = await store.listRepoIds(tx, org_id, {
    name: name || null,
    external_id: external_id || null,
    repo_id,
  })
  if (found.length === 0) throw noSuchRepo(requested)
  return found
}
