// GET /controls/{org}/{identifier}/coverage: the environments whose policies require decisions on a control.
import { Type } from 'typebox'
import { computeCoveragePercent } from '../../../domain/control/coverage.ts'
import { defineOperation } from '../../operation.ts'
import { EnvironmentName, EnvironmentType } from '../../shared/fields.ts'
import { buildLinkedEnvelope, LINKED_PAGE, Page, readLinkedPageRequest, toSlice } from '../../shared/page.ts'
import { about, Closed } from '../../shared/wire.ts'
import { findCoverage } from './store.ts'
import { noSuchControl } from '../problems.ts'
import { ControlPath, PerControlPage, Search } from '../wire.ts'

const CoveredEnvironment = Closed('CoveredEnvironment', {
  name: EnvironmentName,
  type: EnvironmentType,
  covered: Type.Boolean(
    about('Whether a policy of the environment requires a decision on the control', true),
  ),
  policies: Type.Array(
    Type.String(),
    about('Names of the policies there that require it', ['production-rules']),
  ),
})

const ControlCoverage = Closed('ControlCoverage', {
  total: Type.Integer(about('Number of all environments, whatever the filters', 57)),
  covered: Type.Integer({ description: 'Number of covered environments, whatever the filters' }),
  coverage_percent: Type.Number({
    description:
      'Covered environments in percent, rounded to one decimal; exactly 100 means all, exactly 0 means none',
  }),
  environments: Type.Array(
    CoveredEnvironment,
    about('The environments, each with the policies that require a decision'),
  ),
  ...LINKED_PAGE,
})

export const getControlCoverage = defineOperation(
  {
    id: 'getControlCoverage',
    method: 'GET',
    path: '/controls/{org}/{identifier}/coverage',
    tag: 'Controls',
    summary: 'Get the coverage of a control',
    description:
      'An environment is covered when the latest version of an attached, active policy has a rule for the control. ' +
      'Coverage shows where the control is required, not where it is met. Archived environments and logical ones, ' +
      'which have no policies, are left out. Policies can still require an archived control.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: ControlPath,
    query: Closed('ControlCoverageQuery', {
      page: Page,
      per_page: PerControlPage,
      search: Search('Only environments whose name contains this text (case-insensitive)'),
      covered: Type.Optional(
        Type.Boolean({ description: 'Only covered environments, or only uncovered ones' }),
      ),
    }),
    returns: ControlCoverage,
    fails: [400, 403, 404],
    example: {
      params: { identifier: 'control-to-read' },
      query: { page: '1', per_page: '15', search: 'prod', covered: 'true' },
    },
  },
  async ({ params, query, org, url }, { db }) => {
    const { identifier } = params
    const page = readLinkedPageRequest(query)
    const filter = {
      identifier,
      search: query.search || null,
      covered: query.covered ?? null,
      ...toSlice(page),
    }
    const found = await findCoverage(db, org.org_id, filter)
    if (!found) throw noSuchControl(identifier, org.name)
    const { total, covered, matching, environments } = found
    return {
      total,
      covered,
      coverage_percent: computeCoveragePercent(total, covered),
      environments,
      ...buildLinkedEnvelope(url, query, page, matching),
    }
  },
)
