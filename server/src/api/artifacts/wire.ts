// Artifacts as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { COMMIT, TEMPLATE_NAME, TRAIL_NAME, TRAIL_NAME_MAX } from '../../domain/names.ts'
import { toWireId } from '../../lib/ids.ts'
import { FlowNameInput } from '../flows/wire.ts'
import { IncludeArchived, OnlyArchived } from '../shared/archived.ts'
import { COLLECTED_INPUT } from '../shared/collected.ts'
import { EXAMPLE_COMMIT } from '../shared/examples.ts'
import {
  ArtifactName,
  BuildUrl,
  CommitUrl,
  CreatedAt,
  CreatedBy,
  Day,
  EnvironmentName,
  EventTime,
  Fingerprint,
  FingerprintInput,
  FlowArchived,
  FlowName,
  Id,
  OrgName,
  PageUrl,
  PeriodEnd,
  PeriodStart,
  RepoNameFilter,
  ReportedAt,
  RepoUrl,
  SnapshotIndex,
  TemplateReferenceName,
  TrailName,
} from '../shared/fields.ts'
import { FingerprintPrefix } from '../shared/fingerprints.ts'
import { Page, PerPage } from '../shared/page.ts'
import { From, To } from '../shared/periods.ts'
import { buildHistory, filterNewest } from '../shared/places.ts'
import type { Place } from '../shared/places-store.ts'
import {
  Annotations,
  about,
  Closed,
  Described,
  ExternalUrls,
  FreeText,
  GitCommitInfo,
  NamePart,
  Nullable,
  OneOf,
  RepoInfo,
  RepositoryAddress,
  toEpoch,
  UserData,
  WebAddress,
} from '../shared/wire.ts'
import { FingerprintMethod, REPORTED_WITH, toReportedWith } from './reported-with.ts'
import type { ArtifactRow, ReportRow } from './store.ts'

const MAX_COMMITS = 1000
const MAX_TEMPLATE = 1024 * 1024

const CommitPrefix = Type.String({
  pattern: '^[a-f0-9]{5,40}$',
  ...about('The first 5 to 40 characters of the commit SHA-1', '4f2c1d0b'),
})

/** A report on a trail (with `trail_name` and `template_reference_name`), or without one (the older way). */
export const ArtifactPost = Closed('CreateArtifact', {
  fingerprint: FingerprintInput,
  filename: Type.String({
    minLength: 1,
    maxLength: 4096,
    ...about('File or image name of the artifact', 'registry.example.com/backend:1.4.2'),
  }),
  git_commit: Type.Optional(
    Type.String({
      pattern: COMMIT,
      ...about(
        'Full SHA-1 of the commit that the artifact was built from; also in `git_commit_info`',
        EXAMPLE_COMMIT,
      ),
    }),
  ),
  build_url: Described(WebAddress, 'URL of the build that produced it', 'https://ci.example.com/builds/42'),
  commit_url: Described(
    WebAddress,
    'URL of the commit',
    'https://git.example.com/acme/backend/commit/4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1',
  ),
  trail_name: Type.Optional(
    Type.String({
      pattern: TRAIL_NAME,
      maxLength: TRAIL_NAME_MAX,
      ...about('Name of the trail', 'release-1.4.2'),
    }),
  ),
  template_reference_name: Type.Optional(
    Type.String({
      pattern: TEMPLATE_NAME,
      maxLength: 255,
      ...about('Name of the artifact in the flow template', 'backend'),
    }),
  ),
  description: Type.Optional(
    Described(FreeText, 'Description of the artifact, in free text', 'Built on the release branch'),
  ),
  git_commit_info: Type.Optional(GitCommitInfo),
  repo_info: Type.Optional(RepoInfo),
  commits_list: Type.Optional(
    Type.Array(GitCommitInfo, {
      maxItems: MAX_COMMITS,
      ...about('The commits since the last build, newest first'),
    }),
  ),
  repo_url: Type.Optional(
    Described(RepositoryAddress, 'URL of the repository', 'https://git.example.com/acme/backend'),
  ),
  is_compliant: Type.Optional(
    Type.Boolean(about('False makes the artifact NON-COMPLIANT, whatever its evidence', true)),
  ),
  supersedes_earlier: Type.Optional(
    Type.Boolean(
      about(
        'Whether earlier builds under the same name on this trail stop counting. Defaults to false',
        false,
      ),
    ),
  ),
  template: Type.Optional(
    Type.String({
      maxLength: MAX_TEMPLATE,
      ...about('YAML of a template that replaces the current one of the trail', 'version: 1'),
    }),
  ),
  external_urls: Type.Optional(ExternalUrls),
  annotations: Type.Optional(Annotations),
  user_data: Type.Optional(UserData),
  fingerprint_method: Type.Optional(FingerprintMethod),
  ...COLLECTED_INPUT,
})
export type ArtifactPost = Static<typeof ArtifactPost>

export const ArtifactByFingerprintPath = Closed('ArtifactByFingerprintPath', {
  org: OrgName,
  flow_name: FlowName,
  fingerprint: FingerprintPrefix,
})
export const ArtifactByCommitPath = Closed('ArtifactByCommitPath', {
  org: OrgName,
  flow_name: FlowName,
  sha: CommitPrefix,
})
export const LatestCommitPath = Closed('LatestCommitPath', {
  org: OrgName,
  flow_name: FlowName,
  fingerprint: Fingerprint,
})
export const LatestCommitQuery = Closed('LatestCommitQuery', {
  branch: Type.Optional(Type.String(about('Only artifacts built from this branch', 'main'))),
  archived: IncludeArchived,
})
export const LatestCommit = Closed('LatestCommit', {
  latest_commit: Nullable(
    Type.String(),
    about('Full SHA-1 of the commit; null if there is none', EXAMPLE_COMMIT),
  ),
})

export const ArtifactQuery = Closed('ArtifactQuery', {
  trail: Type.Optional(Type.String(about('Only as reported on this trail', 'release-1.4.2'))),
  archived: IncludeArchived,
})

export const ArtifactListQuery = Closed('ArtifactListQuery', {
  archived: OnlyArchived,
  page: Page,
  per_page: PerPage,
  flow_name: Type.Optional(FlowNameInput),
  repo_name: RepoNameFilter,
  search_by_name: NamePart,
  state: Type.Optional(
    OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'], { description: 'Only artifacts in this state' }),
  ),
})

export const BuildFrequencyQuery = Closed('BuildFrequencyQuery', {
  repo_name: Type.String({
    minLength: 1,
    ...about('Full name of the repository', 'acme/backend'),
  }),
  from: From,
  to: To,
})

export const BuildFrequency = Closed('BuildFrequency', {
  from: PeriodStart,
  to: PeriodEnd,
  flows: Type.Array(
    Closed('BuildFrequencyOfFlow', {
      flow_name: FlowName,
      total: Type.Integer(about('Number of builds', 31)),
      per_day: Type.Array(
        Closed('BuildsOfDay', {
          date: Day,
          count: Type.Integer(about('Number of builds on the day', 3)),
        }),
        { description: 'Builds on each day of the period, including days without a build' },
      ),
      median_per_day: Type.Number(about('Median number of builds per day', 1)),
    }),
    { description: 'Builds of each flow, sorted by name. Flows without a build in the period are left out' },
  ),
})

const ArtifactPlace = Closed('ArtifactPlace', {
  environment_name: EnvironmentName,
  snapshot_index: SnapshotIndex,
})
const HistoryEntry = Closed('ArtifactOccurrence', {
  event: Type.String(about('The event, as a sentence', 'backend reported')),
  timestamp: EventTime,
})

const ArtifactReport = Closed('ArtifactReport', {
  id: Id,
  filename: Type.String(about('File or image name', 'registry.example.com/backend:1.4.2')),
  git_commit: Type.String(about('Full SHA-1 of the commit; empty if none was reported', EXAMPLE_COMMIT)),
  git_commit_info: Nullable(GitCommitInfo),
  commit_url: CommitUrl,
  build_url: BuildUrl,
  repo_url: RepoUrl,
  annotations: Annotations,
  description: Type.String(about('Description of the artifact, as it was reported', '')),
  is_compliant: Nullable(
    Type.Boolean(),
    about('Compliance as stated in the report; null if not stated', null),
  ),
  reported_by: Type.String(about('User or service account that sent the report', 'ci-bot')),
  reported_at: ReportedAt,
  ...REPORTED_WITH,
})

export const Artifact = Closed('Artifact', {
  id: Id,
  filename: ArtifactName,
  fingerprint: Fingerprint,
  flow_name: FlowName,
  trail_name: Nullable(TrailName),
  template_reference_name: Nullable(TemplateReferenceName),
  state: OneOf(
    ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'],
    about('Verdict on the artifact in its flow', 'COMPLIANT'),
  ),
  is_compliant: Nullable(
    Type.Boolean({ description: 'Compliance as declared by the latest report; null if it declares none' }),
    { examples: [null] },
  ),
  template: Nullable(
    Type.String({ description: 'YAML of the template that was sent with the latest report' }),
    { examples: [null] },
  ),
  git_commit: Type.String(about('Full SHA-1 of the commit; empty if none was reported', EXAMPLE_COMMIT)),
  git_commit_info: Nullable(GitCommitInfo),
  commits_list: Type.Array(GitCommitInfo, about('The commits named in the latest report')),
  commit_url: CommitUrl,
  build_url: BuildUrl,
  repo_url: RepoUrl,
  repo_info: Nullable(RepoInfo),
  external_urls: ExternalUrls,
  annotations: Annotations,
  user_data: UserData,
  description: Type.String(about('Description of the artifact, as it was reported', '')),
  html_url: PageUrl,
  created_by: CreatedBy,
  created_at: CreatedAt,
  ...REPORTED_WITH,
  archived: FlowArchived,
  running: Type.Array(ArtifactPlace, {
    description: 'Environments where it runs and the snapshot in which it started, newest first, at most 100',
  }),
  running_count: Type.Integer({ description: 'Number of environments in which it runs' }),
  exited: Type.Array(ArtifactPlace, {
    description: 'Environments where it exited and the snapshot in which it did, newest first, at most 100',
  }),
  exited_count: Type.Integer({ description: 'Number of times that it exited' }),
  history: Type.Array(HistoryEntry, about('History of the artifact, oldest first')),
  reports: Type.Array(ArtifactReport, { description: 'Its reports, newest first, at most 100' }),
  reports_count: Type.Integer({ description: 'Number of times that it was reported' }),
})
export type Artifact = Static<typeof Artifact>

export const ArtifactList = Type.Array(Artifact)

export interface Reported {
  attestation_name: string
  created_at: Date
}

export function toWire(
  row: ArtifactRow,
  reported: readonly Reported[],
  reports: readonly ReportRow[],
  site: { base_url: string; org: string },
  places: readonly Place[],
): Artifact {
  const { report } = row
  return {
    id: toWireId(row.artifact_id),
    filename: row.filename,
    fingerprint: row.fingerprint,
    flow_name: row.flow_name,
    trail_name: row.trail_name,
    template_reference_name: row.template_reference_name,
    state: row.state as Artifact['state'],
    is_compliant: row.is_declared_compliant,
    template: report.template ?? null,
    git_commit: row.git_commit ?? '',
    git_commit_info: (report.git_commit_info ?? null) as Artifact['git_commit_info'],
    commits_list: (report.commits_list ?? []) as Artifact['commits_list'],
    commit_url: report.commit_url,
    build_url: report.build_url,
    repo_url: report.repo_url ?? '',
    repo_info: (report.repo_info ?? null) as Artifact['repo_info'],
    external_urls: (report.external_urls ?? {}) as Artifact['external_urls'],
    annotations: report.annotations ?? {},
    user_data: (report.user_data ?? {}) as Artifact['user_data'],
    description: report.description ?? '',
    html_url: buildHtmlUrl(row, site),
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    ...toReportedWith(report),
    archived: row.is_archived,
    running: filterNewest(places, 'running').map(toPlace),
    running_count: row.running_count,
    exited: filterNewest(places, 'exited').map(toPlace),
    exited_count: row.exited_count,
    history: buildHistory(
      [
        ...reports.map(({ reported_at }, i) => ({
          event: describeReport(row, i),
          timestamp: toEpoch(reported_at),
        })),
        ...reported.map(({ attestation_name, created_at }) => ({
          event: `${attestation_name} reported`,
          timestamp: toEpoch(created_at),
        })),
      ],
      places,
    ),
    reports: reports.toReversed().map(toReport),
    reports_count: row.reports_count,
  }
}

function describeReport({ template_reference_name }: ArtifactRow, nth: number): string {
  if (template_reference_name !== null) return `${template_reference_name} reported`
  return nth === 0 ? 'Artifact created' : 'Artifact reported again'
}

function toReport({
  filename,
  git_commit,
  is_compliant,
  report,
  ...row
}: ReportRow): Static<typeof ArtifactReport> {
  return {
    id: toWireId(row.report_id),
    filename,
    git_commit: git_commit ?? '',
    git_commit_info: (report.git_commit_info ?? null) as Artifact['git_commit_info'],
    commit_url: report.commit_url,
    build_url: report.build_url,
    repo_url: report.repo_url ?? '',
    annotations: report.annotations ?? {},
    description: report.description ?? '',
    is_compliant,
    reported_by: row.reported_by,
    reported_at: toEpoch(row.reported_at),
    ...toReportedWith(report),
  }
}

function toPlace({ environment_name, snapshot_index }: Place): Static<typeof ArtifactPlace> {
  return { environment_name, snapshot_index }
}

function buildHtmlUrl(row: ArtifactRow, { base_url, org }: { base_url: string; org: string }): string {
  const path = [org, 'flows', row.flow_name, 'artifacts', row.fingerprint].map(encodeURIComponent).join('/')
  return `${base_url}/${path}${row.trail_name === null ? '' : `?artifact_id=${toWireId(row.artifact_id)}`}`
}
