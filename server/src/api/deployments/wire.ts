// API schemas of deployments. A deployment is an artifact that started to run in an environment.

import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { FlowNameInput } from '../flows/wire.ts'
import { IncludeArchived } from '../shared/archived.ts'
import { EpochTime } from '../shared/epoch-times.ts'
import { EXAMPLE_COMMIT, EXAMPLE_ID } from '../shared/examples.ts'
import {
  ArtifactName,
  CommitUrl,
  Day,
  EnvironmentName,
  Fingerprint,
  FingerprintOrEmpty,
  OrgName,
  PeriodEnd,
  PeriodStart,
  RepoNameFilter,
  StartedAt,
  StartSnapshotIndex,
  TemplateReferenceName,
  TrailName,
} from '../shared/fields.ts'
import { FingerprintPrefix } from '../shared/fingerprints.ts'
import {
  ItemsPerPage,
  LINKED_PAGE,
  Page,
  PageCount,
  PageLinks,
  PageNumber,
  PerLinkedPage,
  TotalCount,
} from '../shared/page.ts'
import { From, To } from '../shared/periods.ts'
import { about, Closed, Naming, Nullable, toEpoch } from '../shared/wire.ts'
import type { DeploymentRow } from './store.ts'

export const DEFAULT_DAYS = 28
const MAX_PAGE_SIZE = 100
export const MAX_OF_ARTIFACT = 1_000

export const DeploymentPath = Closed('DeploymentPath', {
  org: OrgName,
  env_name: EnvironmentName,
  fingerprint: FingerprintPrefix,
})

export const ArtifactDeploymentsQuery = Closed('ArtifactDeploymentsQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_OF_ARTIFACT,
      ...about(`Maximum number of items per page; defaults to ${MAX_OF_ARTIFACT}`, 15),
    }),
  ),
})

export const DeploymentListQuery = Closed('DeploymentListQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: PerLinkedPage,
  env_name: Type.Optional(EnvironmentName),
  flow_name: Type.Optional(FlowNameInput),
  repo_name: RepoNameFilter,
  start_ts: EpochTime(
    `Start of the period, in epoch seconds; defaults to ${DEFAULT_DAYS} days before the end`,
  ),
  end_ts: EpochTime('End of the period, in epoch seconds; defaults to now'),
})

export const EnvironmentDeploymentsQuery = Closed('EnvironmentDeploymentsQuery', {
  archived: IncludeArchived,
  from: From,
  to: To,
  page: Page,
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, ...about('Maximum number of items per page', 15) }),
  ),
})

export const DeploymentFrequencyQuery = Closed('DeploymentFrequencyQuery', {
  archived: IncludeArchived,
  from: From,
  to: To,
  flow_name: Type.Optional(FlowNameInput),
  flow_id: Type.Optional(
    Naming('flow id', Type.String(about('Id of the flow, instead of `flow_name`', EXAMPLE_ID))),
  ),
})

const Commit = Nullable(
  Type.String(),
  about('Full SHA-1 of the commit that the artifact was built from', EXAMPLE_COMMIT),
)

const ReplacedArtifact = Closed('ReplacedArtifact', {
  artifact_fingerprint: Fingerprint,
  artifact_name: ArtifactName,
  git_commit: Commit,
  commit_url: Nullable(CommitUrl),
  trail_name: Nullable(TrailName),
  diff_url: Nullable(
    Type.String({
      description:
        'URL of the code change; null if the commits are the same or belong to different repositories',
    }),
    { examples: [null] },
  ),
})

export const Deployment = Closed('Deployment', {
  id: Type.String(about('Id of the deployment', EXAMPLE_ID)),
  environment_name: EnvironmentName,
  snapshot_index: StartSnapshotIndex,
  artifact_fingerprint: FingerprintOrEmpty,
  artifact_name: ArtifactName,
  flow_name: Nullable(
    Type.String(about('Name of the flow; null if no flow reported the artifact', 'backend-ci')),
  ),
  trail_name: Nullable(TrailName),
  template_reference_name: Nullable(TemplateReferenceName),
  git_commit: Commit,
  commit_url: Nullable(CommitUrl),
  repo_name: Nullable(Type.String(), about('Full name of the repository', 'acme/backend')),
  deployed_at: StartedAt,
  lead_time_seconds: Nullable(
    Type.Number(about('Seconds from commit to start; null if either time is unknown', 5400)),
  ),
  replaced: Nullable(
    ReplacedArtifact,
    about('The artifact that ran there before under the same name; null if none', null),
  ),
  is_running: Type.Boolean({ description: 'Whether the artifact is still running' }),
  html_url: Type.String(about('Web page of the snapshot', 'https://waybill.example.com/acme')),
})
export type Deployment = Static<typeof Deployment>

export const DeploymentPage = Closed('DeploymentPage', {
  deployments: Type.Array(Deployment, about('The deployments on this page')),
  ...LINKED_PAGE,
})
export const DeploymentList = Type.Array(Deployment)

export const EnvironmentDeploymentPage = Closed('EnvironmentDeploymentPage', {
  deployments: Type.Array(Deployment, about('The deployments on this page')),
  from: PeriodStart,
  to: PeriodEnd,
  page: PageNumber,
  page_size: ItemsPerPage,
  total_pages: PageCount,
  total_count: TotalCount,
  _links: PageLinks,
})

const LeadTime = (share: string, example: number) =>
  Nullable(Type.Number(about(`${share} took at most this many seconds; null if none is known`, example)))

export const DeploymentFrequency = Closed('DeploymentFrequency', {
  from: PeriodStart,
  to: PeriodEnd,
  total: Type.Integer(about('Number of deployments', 57)),
  per_day: Type.Array(
    Closed('DeploymentsOfDay', {
      date: Day,
      count: Type.Integer(about('Number of deployments on the day', 3)),
    }),
    { description: 'Deployments on each day of the period, including days without deployments' },
  ),
  median_per_day: Type.Number(about('Median number of deployments per day', 2)),
  lead_time: Closed(
    'LeadTimePercentiles',
    { p50: LeadTime('50 %', 5400), p90: LeadTime('90 %', 21_600), p99: LeadTime('99 %', 86_400) },
    about('Percentiles of the time from commit to deployment'),
  ),
})

export function toWire(row: DeploymentRow, { base_url, org }: { base_url: string; org: string }): Deployment {
  const { replaced, environment_name, snapshot_index } = row
  const page = [org, 'environments', environment_name, 'snapshots', String(snapshot_index)]
  return {
    id: toWireId(row.deployment_id),
    environment_name,
    snapshot_index,
    artifact_fingerprint: row.fingerprint,
    artifact_name: row.artifact_name,
    flow_name: row.flow_name,
    trail_name: row.trail_name,
    template_reference_name: row.template_reference_name || null,
    git_commit: row.git_commit,
    commit_url: row.commit_url,
    repo_name: row.repo_name,
    deployed_at: toEpoch(row.deployed_at),
    lead_time_seconds: row.lead_time_seconds,
    replaced: replaced && {
      artifact_fingerprint: replaced.previous_fingerprint,
      artifact_name: replaced.previous_artifact_name,
      git_commit: replaced.previous_git_commit,
      commit_url: replaced.previous_git_commit_url,
      trail_name: replaced.previous_trail_name,
      diff_url: replaced.diff_url,
    },
    is_running: row.is_running,
    html_url: `${base_url}/${page.map(encodeURIComponent).join('/')}`,
  }
}
