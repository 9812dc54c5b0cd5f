// GET /control-coverage/{org}: for each active control, the environments that require it.
import { Type } from 'typebox'
import { defineOperation } from '../../operation.ts'
import { buildLinkedEnvelope, LINKED_PAGE, Page, toSlice } from '../../shared/page.ts'
import { about, Closed } from '../../shared/wire.ts'
import { readCoverageMatrix } from './store.ts'
import { Control, ControlsPath } from '../wire.ts'

const MAX_PER_PAGE = 500

const CoveredControl = Closed('CoveredControl', {
  identifier: Control.properties.identifier,
  name: Control.properties.name,
  covered: Type.Array(
    Type.String(),
    about('Names of the environments where a policy requires it', ['production']),
  ),
})

export const getCoverageMatrix = defineOperation(
  {
    id: 'getControlCoverageMatrix',
    method: 'GET',
    path: '/control-coverage/{org}',
    tag: 'Controls',
    summary: 'Get the coverage of all controls',
    description:
      'Lists every environment that is neither archived nor logical and, for each active control, the environments ' +
      'that require it. Controls are paged and sorted by name.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: ControlsPath,
    query: Closed('ControlCoverageMatrixQuery', {
      page: Page,
      per_page: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_PER_PAGE,
          ...about(`Maximum number of items per page; defaults to ${MAX_PER_PAGE}`, 15),
        }),
      ),
    }),
    returns: Closed('ControlCoverageMatrix', {
      environments: Type.Array(
        Type.String(),
        about('Names of the environments where policies can require controls', ['production']),
      ),
      controls: Type.Array(CoveredControl, about('The controls, each with the environments that require it')),
      ...LINKED_PAGE,
    }),
    fails: [400, 403],
    example: { query: { page: '1', per_page: '100' } },
  },
  async ({ query, org, url }, { db }) => {
    const page = { page: query.page ?? 1, per_page: query.per_page ?? MAX_PER_PAGE }
    const { environments, controls, total } = await db.withTransaction({ org_id: org.org_id }, tx =>
      readCoverageMatrix(tx, org.org_id, toSlice(page)),
    )
    return { environments, controls, ...buildLinkedEnvelope(url, query, page, total) }
  },
)
