// API schemas of environment events.

import { type Static, Type } from 'typebox'
import { describeEvent, type EventType } from '../../../domain/snapshot/annotation.ts'
import { IncludeArchived } from '../../shared/archived.ts'
import { PeriodFrom, PeriodTo } from '../../shared/epoch-times.ts'
import { ArtifactName, FingerprintOrEmpty, FlowName, ReportedAt, SnapshotIndex } from '../../shared/fields.ts'
import { Page, PerPage } from '../../shared/page.ts'
import { about, Closed, Described, Nullable, toEpoch } from '../../shared/wire.ts'
import type { EnvironmentEventRow } from './store.ts'

const MAX_REPOS = 100

const Bound = (description: string, example: string) =>
  Type.Optional(
    Type.String(
      about(
        `${description}: a snapshot index, \`~N\`, \`NOW\`, \`@{…}\` or a duration such as \`2days\``,
        example,
      ),
    ),
  )

export const EnvironmentEventsQuery = Closed('EnvironmentEventsQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: PerPage,
  interval: Type.Optional(
    Type.String({
      description:
        'Interval `A..B`, where each side is a snapshot index, `~N`, `NOW` or `@{…}`; defaults to all snapshots',
    }),
  ),
  reverse: Type.Optional(Type.Boolean({ description: 'Whether to list the oldest first' })),
  repo_name: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_REPOS,
      ...about('Full names of repositories that the artifact comes from', ['acme/backend']),
    }),
  ),
  start: Bound('Where to start', '1'),
  end: Bound('Where to end', '42'),
  start_ts: PeriodFrom,
  end_ts: PeriodTo,
  from: PeriodFrom,
  to: PeriodTo,
})
export type EnvironmentEventsQuery = Static<typeof EnvironmentEventsQuery>

const Address = Type.String()
const Compliance = Nullable(
  Type.Boolean(about('Whether it was compliant; null if no policy was attached', true)),
)

export const EnvironmentEvent = Closed('EnvironmentEvent', {
  environment_name: Type.String(
    about('Name of the environment; for a logical one, the member in which it happened', 'production'),
  ),
  snapshot_index: SnapshotIndex,
  artifact_name: ArtifactName,
  sha256: FingerprintOrEmpty,
  description: Type.String(about('The event, as a sentence', '1 instance started running (from 0 to 1)')),
  reported_at: ReportedAt,
  pipeline: Type.String(
    about('The first flow that the artifact was reported to; empty if there is none', 'backend-ci'),
  ),
  deployments: Type.Array(Type.Integer(), about('Always empty; kept for existing clients', [])),
  flows: Type.Array(
    Closed('EnvironmentEventFlow', {
      flow_name: FlowName,
      deployments: Type.Null(about('Always null; kept for existing clients', null)),
    }),
    about('The flows that reported the artifact'),
  ),
  artifact_compliance: Compliance,
  snapshot_compliance: Compliance,
  type: Type.String(about('Type of the event', 'started-compliant')),
  was: Type.Integer(about('Number of instances before', 0)),
  now: Type.Integer(about('Number of instances after', 1)),
  code_diff: Nullable(Type.String({ description: 'Web page that shows the code change' }), {
    examples: [null],
  }),
  _links: Closed(
    'EnvironmentEventLinks',
    {
      artifact: Closed(
        'EventArtifactLinks',
        {
          self: Nullable(Address, about('URL of the artifact in the API; null if no flow reported it', null)),
          html: Nullable(
            Address,
            about('URL of the page of the artifact; null if no flow reported it', null),
          ),
        },
        about('Links to the artifact'),
      ),
      snapshot: Closed(
        'EventSnapshotLinks',
        {
          self: Described(
            Address,
            'URL of the snapshot in the API',
            'https://waybill.example.com/api/v2/snapshots/acme/production/42',
          ),
          html: Described(
            Address,
            'URL of the page of the snapshot',
            'https://waybill.example.com/acme/environments/production/snapshots/42',
          ),
        },
        about('Links to the snapshot'),
      ),
    },
    about('Links to this resource and related ones'),
  ),
})
export type EnvironmentEvent = Static<typeof EnvironmentEvent>
export const EnvironmentEventList = Type.Array(EnvironmentEvent)

export function toWire(
  row: EnvironmentEventRow,
  { base_url, org }: { base_url: string; org: string },
): EnvironmentEvent {
  const { environment_name, snapshot_index, fingerprint, flow_names } = row
  const [pipeline] = flow_names
  const buildApiUrl = (...path: string[]) => `${base_url}/api/v2/${path.map(encodeURIComponent).join('/')}`
  const buildPageUrl = (...path: string[]) =>
    `${base_url}/${[org, ...path].map(encodeURIComponent).join('/')}`
  return {
    environment_name,
    snapshot_index,
    artifact_name: row.artifact_name,
    sha256: fingerprint,
    description: describeEvent(row.type as EventType, row.was, row.now),
    reported_at: toEpoch(row.happened_at),
    pipeline: pipeline ?? '',
    deployments: [],
    flows: flow_names.map(flow_name => ({ flow_name, deployments: null })),
    artifact_compliance: row.artifact_compliance,
    snapshot_compliance: row.snapshot_compliance,
    type: row.type,
    was: row.was,
    now: row.now,
    code_diff: row.code_diff,
    _links: {
      artifact: {
        self:
          pipeline === undefined ? null : buildApiUrl('artifacts', org, pipeline, 'fingerprint', fingerprint),
        html: pipeline === undefined ? null : buildPageUrl('flows', pipeline, 'artifacts', fingerprint),
      },
      snapshot: {
        self: buildApiUrl('snapshots', org, environment_name, String(snapshot_index)),
        html: buildPageUrl('environments', environment_name, 'snapshots', String(snapshot_index)),
      },
    },
  }
}
