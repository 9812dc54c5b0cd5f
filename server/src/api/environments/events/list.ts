// GET /environments/{org}/{env_name}/events: the events of an environment's artifacts, newest first.
import { Answer, defineOperation } from '../../operation.ts'
import { requireRepoIds } from '../../repos/problems.ts'
import { buildPageHeaders, PAGE_HEADERS, toSlice } from '../../shared/page.ts'
import { requireEnvironment } from '../problems.ts'
import { EnvironmentPath } from '../wire.ts'
import { listRanges, parseBounds } from './range.ts'
import * as store from './store.ts'
import { EnvironmentEventList, EnvironmentEventsQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 15

export const listEnvironmentEvents = defineOperation(
  {
    id: 'listEnvironmentEvents',
    method: 'GET',
    path: '/environments/{org}/{env_name}/events',
    tag: 'Environments',
    summary: 'List the events of an environment',
    description:
      `A plain array, ${DEFAULT_PER_PAGE} per page by default. The headers \`X-Total-Count\`, \`X-Per-Page\`, ` +
      '`X-Current-Page`, `X-Total-Pages` and `Link` describe the pages. A logical environment lists the events of ' +
      'its members.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: EnvironmentPath,
    query: EnvironmentEventsQuery,
    returns: EnvironmentEventList,
    fails: [400, 403, 404],
    answer_headers: PAGE_HEADERS,
    example: { query: { page: '1', per_page: '15', interval: '~5..NOW', reverse: 'false' } },
  },
  ({ params, query, org, now, url }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const bounds = parseBounds(query, now)
      const environment = await requireEnvironment(tx, org, params.env_name, query.archived)
      const [ranges, repo_ids] = await Promise.all([
        listRanges(tx, org.org_id, environment, bounds),
        query.repo_name === undefined ? null : requireRepoIds(tx, org.org_id, query.repo_name),
      ])
      const page = { page: query.page ?? 1, per_page: query.per_page ?? DEFAULT_PER_PAGE }
      const { rows, total } = await store.listEvents(
        tx,
        org.org_id,
        { ranges, from_at: bounds.from_at, to_at: bounds.to_at, repo_ids },
        { ascending: query.reverse ?? false, ...toSlice(page) },
      )
      const site = { base_url, org: org.name }
      return new Answer(
        200,
        rows.map(row => toWire(row, site)),
        buildPageHeaders(url, query, page, total),
      )
    }),
)
