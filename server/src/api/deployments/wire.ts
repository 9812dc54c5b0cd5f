// API schemas of deployments. A deployment is an artifact that started to run in an environment.

import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { FlowName } from '../flows/wire.ts'
import { IncludeArchived } from '../shared/archived.ts'
import { FingerprintPrefix } from '../shared/fingerprints.ts'
import { Moment } from '../shared/moments.ts'
import { LINKED_PAGE, Page, PageLinks, PerLinkedPage } from '../shared/page.ts'
import { From, To } from '../shared/periods.ts'
import { Closed, EpochSeconds, Nullable, toEpoch } from '../shared/wire.ts'
import type { DeploymentRow } from './store.ts'

export const DEFAULT_DAYS = 28
const MAX_PAGE_SIZE = 100
export const MAX_OF_ARTIFACT = 1_000

export const DeploymentPath = Closed('DeploymentPath', {
  org: Type.String(),
  env_name: Type.String(),
  fingerprint: FingerprintPrefix,
})

export const ArtifactDeploymentsQuery = Closed('ArtifactDeploymentsQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_OF_ARTIFACT, description: `Defaults to ${MAX_OF_ARTIFACT}` }),
  ),
})

export const DeploymentListQuery = Closed('DeploymentListQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: PerLinkedPage,
  env_name: Type.Optional(Type.String()),
  flow_name: Type.Optional(FlowName),
  repo_name: Type.Optional(Type.String({ description: 'Full name of the repository' })),
  start_ts: Moment(`Start of the period, in epoch seconds; defaults to ${DEFAULT_DAYS} days before the end`),
  end_ts: Moment('End of the period, in epoch seconds; defaults to now'),
})

export const EnvironmentDeploymentsQuery = Closed('EnvironmentDeploymentsQuery', {
  archived: IncludeArchived,
  from: From,
  to: To,
  page: Page,
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
})

export const DeploymentFrequencyQuery = Closed('DeploymentFrequencyQuery', {
  archived: IncludeArchived,
  from: From,
  to: To,
  flow_name: Type.Optional(FlowName),
  flow_id: Type.Optional(Type.String({ description: 'Instead of `flow_name`' })),
})

const Commit = Nullable(Type.String())

const ReplacedArtifact = Closed('ReplacedArtifact', {
  artifact_fingerprint: Type.String(),
  artifact_name: Type.String(),
  git_commit: Commit,
  commit_url: Nullable(Type.String()),
  trail_name: Nullable(Type.String()),
  diff_url: Nullable(
    Type.String({ description: 'Null if the commits are the same or belong to different repositories' }),
  ),
})

export const Deployment = Closed('Deployment', {
  id: Type.String(),
  environment_name: Type.String(),
  snapshot_index: Type.Integer({ description: 'The snapshot in which it started' }),
  artifact_fingerprint: Type.String({ description: 'Empty if the digest is unknown' }),
  artifact_name: Type.String(),
  flow_name: Nullable(Type.String({ description: 'Null if the artifact was not reported to any flow' })),
  trail_name: Nullable(Type.String()),
  template_reference_name: Nullable(Type.String()),
  git_commit: Commit,
  commit_url: Nullable(Type.String()),
  repo_name: Nullable(Type.String()),
  deployed_at: EpochSeconds,
  lead_time_seconds: Nullable(
    Type.Number({ description: 'Seconds from commit to start; null if either time is unknown' }),
  ),
  replaced: Nullable(ReplacedArtifact),
  is_running: Type.Boolean({ description: 'Whether the artifact is still running' }),
  html_url: Type.String({ description: 'Web page of the snapshot' }),
})
export type Deployment = Static<typeof Deployment>

export const DeploymentPage = Closed('DeploymentPage', {
  deployments: Type.Array(Deployment),
  ...LINKED_PAGE,
})
export const DeploymentList = Type.Array(Deployment)

export const EnvironmentDeploymentPage = Closed('EnvironmentDeploymentPage', {
  deployments: Type.Array(Deployment),
  from: EpochSeconds,
  to: EpochSeconds,
  page: Type.Integer(),
  page_size: Type.Integer(),
  total_pages: Type.Integer(),
  total_count: Type.Integer(),
  _links: PageLinks,
})

const LeadTime = Nullable(Type.Number({ description: 'Seconds; null if no lead time is known' }))

export const DeploymentFrequency = Closed('DeploymentFrequency', {
  from: EpochSeconds,
  to: EpochSeconds,
  total: Type.Integer(),
  per_day: Type.Array(
    Closed('DeploymentsOfDay', {
      date: Type.String({ description: 'YYYY-MM-DD, UTC' }),
      count: Type.Integer(),
    }),
    { description: 'Every day of the period, including days without deployments' },
  ),
  median_per_day: Type.Number(),
  lead_time: Closed('LeadTimePercentiles', { p50: LeadTime, p90: LeadTime, p99: LeadTime }),
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
