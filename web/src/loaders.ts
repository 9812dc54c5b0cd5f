// The requests that each page sends before it appears, with the page's own query options: one row for each
// page except the overview, which has its own file. They are sent while the page's code loads.
import { type Load, need, type PagePlace } from './page-place.ts'
import { artifactQuery, attestationsQuery, repoQuery, reposQuery } from './pages/artifacts/queries.ts'
import type { ArtifactSearch, AttestationsSearch, ReposSearch } from './pages/artifacts/search.ts'
import { typeQuery, typesQuery } from './pages/attestation-types/queries.ts'
import type { TypesSearch } from './pages/attestation-types/search.ts'
import { controlQuery, controlsQuery } from './pages/controls/queries.ts'
import type { CellSearch, ControlsSearch, MatrixSearch } from './pages/controls/search.ts'
import { stateEvidenceQuery, stateHistoryQuery, stateMatrixQuery } from './pages/controls/state-queries.ts'
import { coverageTrendsQuery } from './pages/coverage-trends/queries.ts'
import { environmentPageQuery, environmentQuery } from './pages/environments/queries.ts'
import type { EnvironmentListSearch } from './pages/environments/search.ts'
import { flowQuery, flowsQuery, trailQuery } from './pages/flows/queries.ts'
import type { FlowsSearch } from './pages/flows/search.ts'
import { deliveriesQuery, notificationPageQuery } from './pages/notifications/queries.ts'
import type { DeliverySearch, NotificationsSearch } from './pages/notifications/search.ts'
import { auditEventsQuery, auditLogQuery, membersQuery } from './pages/people/queries.ts'
import type { AuditEventsSearch, AuditLogSearch, MembersSearch } from './pages/people/search-params.ts'
import { policyPageQuery, policyQuery } from './pages/policies/queries.ts'
import type { PoliciesSearch } from './pages/policies/search.ts'
import { logStatusQuery } from './pages/proof/queries.ts'
import { mailDomainsQuery, serviceAccountQuery, trustRulesQuery } from './pages/settings/queries.ts'
import { deploymentTrendsQuery } from './pages/trends/queries.ts'
import type { TrendsSearch } from './pages/trends/search.ts'
import {
  builtInTypesQuery,
  environmentsQuery,
  organizationQuery,
  scimTokensQuery,
  serviceAccountsQuery,
} from './parts/queries.ts'
import { PER_PAGE } from './parts/schemas.ts'
import { maySee, type Role } from './parts/use-role.ts'
import { waitingDecisionsQuery } from './parts/waiting-decisions.tsx'

/** If controls are not enabled, the pages explain that and request nothing else. */
async function loadControls(org: string, ask: () => Promise<unknown>[]): Promise<void> {
  const { features } = await need(organizationQuery(org))
  if (features.controls === true) await Promise.all(ask())
}

/** Nothing for users who may not see the page, which explains who may. */
const forRole =
  (minRole: Role, load: Load): Load =>
  place =>
    maySee(place.role, minRole) ? load(place) : []

const param = ({ params }: PagePlace, name: string): string => params[name] ?? ''

export const LOADERS = {
  environments: ({ org, search }) => [
    need(environmentPageQuery(org, search as EnvironmentListSearch, PER_PAGE)),
  ],
  environment: place => [need(environmentQuery(place.org, param(place, 'environment')))],
  flows: ({ org, search }) => [need(flowsQuery(org, search as FlowsSearch))],
  flow: place => [need(flowQuery(place.org, param(place, 'flow')))],
  trail: place => [
    need(trailQuery(place.org, param(place, 'flow'), param(place, 'trail'))),
    need(builtInTypesQuery),
  ],
  artifact: place => [
    need(
      artifactQuery(
        { org: place.org, flow_name: param(place, 'flow'), fingerprint: param(place, 'fingerprint') },
        (place.search as ArtifactSearch).artifact_id,
      ),
    ),
  ],
  attestations: ({ org, search }) => [need(attestationsQuery(org, search as AttestationsSearch))],
  repos: ({ org, search }) => [need(reposQuery(org, search as ReposSearch))],
  repo: place => [need(repoQuery(place.org, param(place, '_splat')))],
  attestationTypes: ({ org, search }) => [
    need(typesQuery(org, search as TypesSearch)),
    need(builtInTypesQuery),
  ],
  attestationType: place => [need(typeQuery(place.org, param(place, 'name')))],
  policies: ({ org, search }) => [need(policyPageQuery(org, search as PoliciesSearch))],
  policy: place => [need(policyQuery(place.org, param(place, 'policy'))), need(environmentsQuery(place.org))],
  controls: ({ org, search }) => [
    loadControls(org, () => [need(controlsQuery(org, search as ControlsSearch))]),
  ],
  control: place => [
    loadControls(place.org, () => [need(controlQuery(place.org, param(place, 'identifier')))]),
  ],
  controlCoverage: ({ org, search }) => [
    loadControls(org, () => [need(stateMatrixQuery(org, search as MatrixSearch))]),
  ],
  controlCell: place => {
    const search = place.search as CellSearch
    const cell = {
      org: place.org,
      identifier: param(place, 'identifier'),
      env_name: param(place, 'environment'),
    }
    return [
      loadControls(place.org, () => [
        need(stateEvidenceQuery(cell, search)),
        need(stateHistoryQuery(cell, search.before)),
      ]),
    ]
  },
  decisions: ({ org }) => [need(waitingDecisionsQuery(org)), need(organizationQuery(org))],
  notifications: ({ org, search }) => {
    const { environments = 1, flows = 1 } = search as NotificationsSearch
    return [
      need(notificationPageQuery(org, 'environments', environments)),
      need(notificationPageQuery(org, 'flows', flows)),
    ]
  },
  deliveries: ({ org, search }) => [need(deliveriesQuery(org, search as DeliverySearch))],
  members: ({ org, search }) => [
    need(organizationQuery(org)),
    need(membersQuery(org, search as MembersSearch)),
  ],
  auditLog: forRole('admin', ({ org, search }) => [need(auditLogQuery(org, search as AuditLogSearch))]),
  auditEvents: forRole('admin', ({ org, search }) => [
    need(auditEventsQuery(org, search as AuditEventsSearch)),
  ]),
  trends: ({ org, search }) => [
    need(deploymentTrendsQuery(org, search as TrendsSearch)),
    need(coverageTrendsQuery(org, search as TrendsSearch)),
  ],
  proof: ({ org }) => [need(logStatusQuery(org))],
  organization: ({ org }) => [need(organizationQuery(org))],
  serviceAccounts: forRole('snapshotter', ({ org }) => [
    need(organizationQuery(org)),
    need(serviceAccountsQuery(org)),
  ]),
  serviceAccount: forRole('snapshotter', place => [
    need(serviceAccountQuery(place.org, param(place, 'name'))),
  ]),
  scimTokens: forRole('admin', ({ org }) => [need(organizationQuery(org)), need(scimTokensQuery(org))]),
  mailDomains: forRole('admin', ({ org }) => [need(organizationQuery(org)), need(mailDomainsQuery(org))]),
  trustRules: forRole('admin', ({ org }) => [need(trustRulesQuery(org))]),
} satisfies Record<string, Load>

export type LoaderName = keyof typeof LOADERS
