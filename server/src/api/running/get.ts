// GET /running/{org}: which version of each artifact runs in which environment, one page of artifacts by one of environments.
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildLinkedEnvelope, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import { readMatrixCells, readMatrixFrame } from './store.ts'
import {
  DEFAULT_ENVIRONMENTS,
  MatrixQuery,
  RunningMatrix,
  toFilter,
  toWireArtifacts,
  toWireEnvironments,
} from './wire.ts'

export const getRunningMatrix = defineOperation(
  {
    id: 'getRunningMatrix',
    method: 'GET',
    path: '/running/{org}',
    tag: 'Environments',
    summary: 'Get which artifacts run where',
    description:
      'Artifacts by name without the version, and the version that runs in each environment. Covers environments that are ' +
      'neither archived nor logical. Filters of artifacts keep a whole row, so that its versions can be compared.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: MatrixQuery,
    returns: RunningMatrix,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '15', state: 'non-compliant', tag: 'tier:1' } },
  },
  async ({ query, org, url, now }, { db }) => {
    const page = readLinkedPageRequest(query)
    const columns = {
      page: query.environment_page ?? 1,
      per_page: query.environment_per_page ?? DEFAULT_ENVIRONMENTS,
    }
    const filter = toFilter(query, now)
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const slices = { columns: toSlice(columns), rows: toSlice(page) }
      const frame = await readMatrixFrame(tx, org.org_id, filter, slices)
      const ids = frame.environments.map(({ environment_id }) => environment_id)
      const cells = await readMatrixCells(tx, org.org_id, ids, frame.names)
      return {
        environments: toWireEnvironments(frame.environments, now),
        environment_page: columns.page,
        environment_per_page: columns.per_page,
        environment_total_pages: Math.ceil(frame.environment_total / columns.per_page),
        environment_total_count: frame.environment_total,
        artifacts: toWireArtifacts({ ...frame, ...cells }, now),
        ...buildLinkedEnvelope(url, query, page, frame.total),
      }
    })
  },
)
