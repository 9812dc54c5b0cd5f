// API schemas of a page of snapshot artifacts.

import { type Static, Type } from 'typebox'
import { IncludeArchived } from '../shared/archived.ts'
import {
  ArtifactName,
  FlowNameOrEmpty,
  LatestSnapshotIndex,
  PolicyName,
  PreviousInstances,
  Version,
} from '../shared/fields.ts'
import { LINKED_PAGE, Page } from '../shared/page.ts'
import { about, Closed, COMPLIANCE, OneOf } from '../shared/wire.ts'
import { SNAPSHOT_HEAD, SnapshotArtifact } from './wire.ts'

export const DEFAULT_PER_PAGE = 25
const MAX_PER_PAGE = 50
/** The most exited artifacts that are listed. */
export const MAX_EXITED = 50
const MAX_SEARCH = 256

export const SnapshotArtifactsQuery = Closed('SnapshotArtifactsQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PER_PAGE,
      ...about(`Maximum number of items per page; defaults to ${DEFAULT_PER_PAGE}`, 15),
    }),
  ),
  name: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH,
      ...about(
        'Only artifacts whose name contains this text or whose fingerprint starts with it (case-insensitive)',
        'backend',
      ),
    }),
  ),
  compliance: Type.Optional(OneOf([...COMPLIANCE], { description: 'Only artifacts with this verdict' })),
})
export type SnapshotArtifactsQuery = Static<typeof SnapshotArtifactsQuery>

const SnapshotSummary = Closed(
  'SnapshotSummary',
  {
    ...SNAPSHOT_HEAD,
    latest_snapshot_index: LatestSnapshotIndex,
    applied_policies: Type.Array(Closed('AppliedPolicyName', { name: PolicyName, version: Version }), {
      description: 'The policies in force, by name',
    }),
  },
  about('Summary of the snapshot'),
)

const Exited = Closed('ExitedArtifact', {
  name: ArtifactName,
  fingerprint: SnapshotArtifact.properties.fingerprint,
  environment_name: SnapshotArtifact.properties.environment_name,
  flow_name: FlowNameOrEmpty,
  was: PreviousInstances,
})
export type Exited = Static<typeof Exited>

export const SnapshotArtifactPage = Closed('SnapshotArtifactPage', {
  snapshot: SnapshotSummary,
  artifacts: Type.Array(SnapshotArtifact, {
    description:
      'Running artifacts: non-compliant first, then unknown, then compliant; sorted by name and fingerprint',
  }),
  exited: Type.Array(
    Exited,
    about(
      `The first ${MAX_EXITED} artifacts that exited in this snapshot, by name; filters do not apply`,
      [],
    ),
  ),
  exited_count: Type.Integer(about('Number of artifacts that exited in this snapshot', 0)),
  ...LINKED_PAGE,
})
export type SnapshotArtifactPage = Static<typeof SnapshotArtifactPage>
