// GET /environments/{org}/{env_name}/late-reports: reports that arrived after newer ones, newest first.
import { Answer, defineOperation } from '../../operation.ts'
import { listPhysicalEnvironments } from '../../shared/members-store.ts'
import { buildPageHeaders, PAGE_HEADERS, toSlice } from '../../shared/page.ts'
import { requireEnvironment } from '../problems.ts'
import { EnvironmentPath } from '../wire.ts'
import { listLateReports as listStored } from './store.ts'
import { LateReportList, LateReportsQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 15

export const listLateReports = defineOperation(
  {
    id: 'listLateReports',
    method: 'GET',
    path: '/environments/{org}/{env_name}/late-reports',
    tag: 'Environments',
    summary: 'List the late reports of an environment',
    description:
      'A report that arrives after a newer one is recorded and changes nothing. A plain array, the last observed first, ' +
      `${DEFAULT_PER_PAGE} per page by default. The headers \`X-Total-Count\`, \`X-Per-Page\`, \`X-Current-Page\`, ` +
      '`X-Total-Pages` and `Link` describe the pages. A logical environment lists those of its members.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: EnvironmentPath,
    query: LateReportsQuery,
    returns: LateReportList,
    fails: [400, 403, 404],
    answer_headers: PAGE_HEADERS,
    example: { query: { page: '1', per_page: '15' } },
  },
  ({ params, query, org, url }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const environment = await requireEnvironment(tx, org, params.env_name, query.archived)
      const sources = await listPhysicalEnvironments(tx, org.org_id, environment)
      const page = { page: query.page ?? 1, per_page: query.per_page ?? DEFAULT_PER_PAGE }
      const environment_ids = sources.map(({ environment_id }) => environment_id)
      const { rows, total } = await listStored(tx, org.org_id, environment_ids, toSlice(page))
      return new Answer(200, rows.map(toWire), buildPageHeaders(url, query, page, total))
    }),
)
