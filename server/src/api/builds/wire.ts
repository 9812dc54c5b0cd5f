// Builds as the API sends them: each artifact once, as first reported.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { EpochTime } from '../shared/epoch-times.ts'
import { EXAMPLE_COMMIT, EXAMPLE_ID, EXAMPLE_TIME } from '../shared/examples.ts'
import {
  ArtifactName,
  ArtifactReportId,
  BuildUrl,
  CommitUrl,
  CreatedAt,
  Fingerprint,
  FlowName,
  PageUrl,
  PeriodEnd,
  PeriodStart,
  RepositoryId,
  TrailName,
} from '../shared/fields.ts'
import { LINKED_PAGE, Link, Page, PerLinkedPage } from '../shared/page.ts'
import { about, Closed, Described, Nullable, toEpoch } from '../shared/wire.ts'
import type { BuildRow } from './store.ts'

export const DEFAULT_DAYS = 28

export const BuildListQuery = Closed('BuildListQuery', {
  page: Page,
  per_page: PerLinkedPage,
  repo_id: Type.Optional(
    Type.String(about('Only builds of the repository with this id at its git host', '311')),
  ),
  repo_name: Type.Optional(
    Type.String(about('Only builds of repositories with this full name', 'acme/backend')),
  ),
  repo_inner_id: Type.Optional(
    Type.String(about('Only builds of the repository with this id in Waybill', EXAMPLE_ID)),
  ),
  start_ts: EpochTime(
    `Start of the period, in epoch seconds. Defaults to ${DEFAULT_DAYS} days before the end`,
  ),
  end_ts: EpochTime('End of the period, in epoch seconds. Defaults to now'),
})

const Build = Closed('Build', {
  fingerprint: Fingerprint,
  artifact_id: ArtifactReportId,
  artifact_name: ArtifactName,
  flow_name: FlowName,
  trail_name: Nullable(TrailName),
  git_commit: Nullable(
    Type.String(),
    about('Full SHA-1 of the commit that the artifact was built from', EXAMPLE_COMMIT),
  ),
  commit_url: CommitUrl,
  build_url: BuildUrl,
  repo_info: Nullable(
    Closed(
      'BuildRepo',
      {
        id: RepositoryId,
        name: Type.String(about('Full name of the repository', 'acme/backend')),
        repo_id: Type.String(about('Id of the repository at its git host', '311')),
      },
      about('The source repository'),
    ),
  ),
  created_at: CreatedAt,
  html_url: PageUrl,
  _links: Closed(
    'BuildLinks',
    { artifact: Described(Link, 'Link to the artifact') },
    about('Links to this resource and related ones'),
  ),
})

export const BuildPage = Closed('BuildPage', {
  builds: Type.Array(Build, about('The builds on this page')),
  ...LINKED_PAGE,
})

export function toWire(row: BuildRow, site: { base_url: string; org: string }): Static<typeof Build> {
  const joinPath = (...names: string[]) => names.map(encodeURIComponent).join('/')
  const artifact = joinPath('artifacts', site.org, row.flow_name, 'fingerprint', row.fingerprint)
  const page = joinPath(site.org, 'flows', row.flow_name, 'artifacts', row.fingerprint)
  const id = toWireId(row.artifact_id)
  return {
    fingerprint: row.fingerprint,
    artifact_id: id,
    artifact_name: row.filename,
    flow_name: row.flow_name,
    trail_name: row.trail_name,
    git_commit: row.git_commit,
    commit_url: row.commit_url,
    build_url: row.build_url,
    repo_info: row.repo && { ...row.repo, id: toWireId(row.repo.id) },
    created_at: toEpoch(row.created_at),
    html_url: `${site.base_url}/${page}${row.trail_name === null ? '' : `?artifact_id=${id}`}`,
    _links: { artifact: { href: `${site.base_url}/api/v2/${artifact}` } },
  }
}

const { page: _, per_page: __, ...BUILD_FILTER } = BuildListQuery.properties

export const BuildStatisticsQuery = Closed('BuildStatisticsQuery', BUILD_FILTER)

export const BuildStatistics = Closed('BuildStatistics', {
  start_ts: PeriodStart,
  end_ts: PeriodEnd,
  count: Type.Integer(about('Number of builds', 57)),
  timestamps: Type.Array(
    Type.Number(),
    about('Time of each build, in epoch seconds, oldest first', [EXAMPLE_TIME]),
  ),
})
