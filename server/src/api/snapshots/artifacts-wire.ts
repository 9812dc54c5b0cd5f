// A page of the artifacts of a snapshot, as the outside sees it.

import { type Static, Type } from 'typebox'
import { IncludeArchived } from '../shared/archived.ts'
import { LINKED_PAGE, Page } from '../shared/page.ts'
import { Closed, COMPLIANCE, OneOf } from '../shared/wire.ts'
import { SNAPSHOT_HEAD, SnapshotArtifact } from './wire.ts'

export const DEFAULT_PER_PAGE = 25
const MAX_PER_PAGE = 50
/** Of what exited, so many are named. */
export const MAX_EXITED = 50
const MAX_SEARCH = 256

export const SnapshotArtifactsQuery = Closed('SnapshotArtifactsQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PER_PAGE, description: `${DEFAULT_PER_PAGE} unless told` }),
  ),
  name: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH,
      description: 'Part of the name, or how the fingerprint begins, in any case',
    }),
  ),
  compliance: Type.Optional(OneOf([...COMPLIANCE], { description: 'Only artifacts of this verdict' })),
})
export type SnapshotArtifactsQuery = Static<typeof SnapshotArtifactsQuery>

const SnapshotSummary = Closed('SnapshotSummary', {
  ...SNAPSHOT_HEAD,
  latest_snapshot_index: Type.Integer(),
  applied_policies: Type.Array(
    Closed('AppliedPolicyName', { name: Type.String(), version: Type.Integer() }),
    { description: 'The policies that were in force, by name' },
  ),
})

const Exited = Closed('ExitedArtifact', {
  name: Type.String(),
  fingerprint: SnapshotArtifact.properties.fingerprint,
  environment_name: SnapshotArtifact.properties.environment_name,
  flow_name: Type.String(),
  was: Type.Integer(),
})
export type Exited = Static<typeof Exited>

export const SnapshotArtifactPage = Closed('SnapshotArtifactPage', {
  snapshot: SnapshotSummary,
  artifacts: Type.Array(SnapshotArtifact, {
    description: 'What runs: non-compliant first, then unknown, then compliant; by name, then by fingerprint',
  }),
  exited: Type.Array(Exited, {
    description: `What exited in this snapshot, by name, whatever is filtered by; the first ${MAX_EXITED}`,
  }),
  exited_count: Type.Integer({ description: 'How many exited in this snapshot' }),
  ...LINKED_PAGE,
})
export type SnapshotArtifactPage = Static<typeof SnapshotArtifactPage>
