// GET /env-diff/{org}: compares two snapshots, of one environment or of two.

import { type Static, Type } from 'typebox'
import type { Db } from '../../db/database.ts'
import { combineVerdicts, type Verdict } from '../../domain/snapshot/compliance.ts'
import { getBaseName } from '../../domain/snapshot/replaced.ts'
import { compareText } from '../../domain/snapshot/text-order.ts'
import { buildCodeDiffUrl, describeVersionBeside, pairVersions } from '../../domain/snapshot/versions.ts'
import { groupBy } from '../../lib/group-by.ts'
import { type CallerOrg, defineOperation } from '../operation.ts'
import { IncludeArchived } from '../shared/archived.ts'
import { EXAMPLE_TIME } from '../shared/examples.ts'
import { ArtifactName, CommitUrl, Fingerprint, FlowNameOrEmpty, OrgPath } from '../shared/fields.ts'
import { about, Closed, Described, Naming, Nullable, Time, toEpoch } from '../shared/wire.ts'
import { countArtifacts } from './head.ts'
import { parseNamedSnapshot, requireHead, type StoredHead } from './problems.ts'
import * as store from './store.ts'

const EnvironmentDiffQuery = Closed('EnvironmentDiffQuery', {
  archived: IncludeArchived,
  snappish1: Naming(
    'snapshot',
    Type.String({ description: 'The first snapshot: `env`, `env#N`, `env~N` or `env@{…}`' }),
  ),
  snappish2: Naming('snapshot', Type.String(about('The second snapshot, in the same notation', 'prod'))),
})

const COMMON = {
  fingerprint: Fingerprint,
  name: ArtifactName,
  flow: FlowNameOrEmpty,
  commit_url: CommitUrl,
  most_recent_timestamp: Type.Integer(
    about('Start time of the newest instance, in epoch seconds', EXAMPLE_TIME),
  ),
  pods: Type.Optional(Type.Array(Type.String(), about('Names of the pods where it runs', ['backend-7d4f']))),
}
const Compliant = (description: string) =>
  Nullable(Type.Boolean(about(`Whether ${description}; null if no policy is attached`, true)))
const DiffArtifact = Closed('EnvironmentDiffArtifact', {
  ...COMMON,
  instance_count: Type.Integer(about('Number of running instances', 2)),
  compliant: Compliant('it is compliant in the snapshot'),
})
const BOTH = {
  s1_compliant: Compliant('it is compliant in the first snapshot'),
  s2_compliant: Compliant('it is compliant in the second snapshot'),
}
const UnchangedArtifact = Closed('EnvironmentDiffUnchangedArtifact', {
  ...COMMON,
  instance_count: Type.Integer(about('Number of running instances', 2)),
  ...BOTH,
})
const UpdatedArtifact = Closed('EnvironmentDiffUpdatedArtifact', {
  name: Type.String(about('Name of the artifact, without the version', 'registry.example.com/backend')),
  s1_version: Type.String(about('Version in the first snapshot', '2.4.6')),
  s2_version: Type.String(about('Version in the second snapshot', '2.9.0')),
  s1_fingerprint: Described(Fingerprint, 'Fingerprint in the first snapshot'),
  s2_fingerprint: Described(Fingerprint, 'Fingerprint in the second snapshot'),
  s1_flow: Described(FlowNameOrEmpty, 'Flow that reported the version of the first snapshot; empty if none'),
  s2_flow: Described(FlowNameOrEmpty, 'Flow that reported the version of the second snapshot; empty if none'),
  ...BOTH,
  code_diff_url: Nullable(
    Type.String(
      about(
        'Page that compares the two commits; null if they are unknown or not comparable',
        'https://github.com/acme/backend/compare/1f3a9c0...8c2e4d1',
      ),
    ),
  ),
})
const ChangedArtifact = Closed('EnvironmentDiffChangedArtifact', {
  ...COMMON,
  ...BOTH,
  s1_instance_count: Type.Integer(about('Number of instances in the first snapshot', 1)),
  s2_instance_count: Type.Integer(about('Number of instances in the second snapshot', 2)),
})
const Side = Closed('EnvironmentDiffSide', {
  snapshot_id: Type.String(about('The snapshot, as `env#N`', 'production#41')),
  compliant: Compliant('the environment is compliant in the snapshot'),
  timestamp: Time('When the snapshot was taken'),
  artifacts: Type.Array(DiffArtifact, about('The artifacts')),
})
const EnvironmentDiff = Closed('EnvironmentDiff', {
  snappish1: Described(Side, 'Artifacts that are only in the first snapshot'),
  snappish2: Described(Side, 'Artifacts that are only in the second snapshot'),
  changed: Closed(
    'EnvironmentDiffChanged',
    { artifacts: Type.Array(ChangedArtifact, about('The artifacts')) },
    about('Artifacts that are in both, with different numbers of instances'),
  ),
  'not-changed': Closed(
    'EnvironmentDiffNotChanged',
    { artifacts: Type.Array(UnchangedArtifact, about('The artifacts')) },
    about('Artifacts that are in both, unchanged'),
  ),
  updated: Closed(
    'EnvironmentDiffUpdated',
    { artifacts: Type.Array(UpdatedArtifact, about('The pairs of versions')) },
    about(
      'Artifacts of the first snapshot of which the second one has another version; both are in the lists, too',
    ),
  ),
})
type DiffArtifact = Static<typeof DiffArtifact>

export const diffSnapshots = defineOperation(
  {
    id: 'diffSnapshots',
    method: 'GET',
    path: '/env-diff/{org}',
    tag: 'Snapshots',
    summary: 'Compare two snapshots',
    description:
      'Lists artifacts that run only in the first, only in the second, in both with different instance counts, and in both ' +
      'unchanged. `updated` pairs versions of the same name, or of the same flow, if each side has one of them.',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: EnvironmentDiffQuery,
    returns: EnvironmentDiff,
    fails: [400, 403, 404],
    example: { query: { snappish1: 'prod~1', snappish2: 'prod' } },
  },
  async ({ query, org, now }, { db }) => {
    // Parse both before querying either: if the second failed while the first is running, its rejection would be
    // unhandled.
    const { archived } = query
    const one = { ...parseNamedSnapshot(query.snappish1, now), archived }
    const other = { ...parseNamedSnapshot(query.snappish2, now), archived }
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const [first, second] = await Promise.all([requireHead(tx, org, one), requireHead(tx, org, other)])
      tx.expectRows(countArtifacts(first) + countArtifacts(second))
      const [before, after] = await Promise.all([readContents(tx, org, first), readContents(tx, org, second)])
      const [gone, come] = [listMissing(after, before), listMissing(before, after)]
      return {
        snappish1: { ...describeSnapshot(first), artifacts: gone },
        snappish2: { ...describeSnapshot(second), artifacts: come },
        changed: {
          artifacts: listCommon(before, after).flatMap(pair => (isScaled(pair) ? [toChanged(pair)] : [])),
        },
        'not-changed': {
          artifacts: listCommon(before, after).flatMap(pair => (isScaled(pair) ? [] : [toUnchanged(pair)])),
        },
        updated: { artifacts: pairVersions(gone, come).map(toUpdated) },
      }
    })
  },
)

const describeSnapshot = (head: StoredHead) => ({
  snapshot_id: formatSnapshotId(head),
  compliant: head.compliant,
  timestamp: toEpoch(head.created_at),
})

const formatSnapshotId = (head: StoredHead) => `${head.environment_name}#${head.asked_index}`

type Contents = Map<string, DiffArtifact>

/** The running artifacts of a snapshot by key; for a logical environment, of all members combined. */
async function readContents(tx: Db, org: CallerOrg, head: StoredHead): Promise<Contents> {
  const parts = head.members ?? [{ environment_id: head.environment_id, snapshot_index: head.asked_index }]
  const { runs, verdicts } = await store.readRowsToCompare(tx, org.org_id, parts)
  const verdictsOf = groupBy(verdicts, ({ artifact_key }) => artifact_key)
  const found: Contents = new Map()
  for (const row of runs.sort((a, b) => compareText(a.name, b.name))) {
    const known = found.get(row.artifact_key)
    const compliant = combineVerdicts((verdictsOf.get(row.artifact_key) ?? []).map(each => each.compliant))
    const artifact = toArtifact(row, compliant)
    found.set(row.artifact_key, known ? mergeArtifacts(known, artifact) : artifact)
  }
  return found
}

function toArtifact(row: store.DiffRow, compliant: Verdict): DiffArtifact {
  return {
    fingerprint: row.fingerprint,
    name: row.name,
    flow: row.flow ?? '',
    commit_url: row.commit_url ?? '',
    most_recent_timestamp: row.most_recent_timestamp,
    ...(row.pods === null ? {} : { pods: row.pods }),
    instance_count: row.instance_count,
    compliant,
  }
}

function mergeArtifacts(one: DiffArtifact, other: DiffArtifact): DiffArtifact {
  return {
    ...one,
    most_recent_timestamp: Math.max(one.most_recent_timestamp, other.most_recent_timestamp),
    ...(one.pods || other.pods ? { pods: [...(one.pods ?? []), ...(other.pods ?? [])] } : {}),
    instance_count: one.instance_count + other.instance_count,
  }
}

/** The artifacts of `all` that are not in `side`. */
function listMissing(side: Contents, all: Contents): DiffArtifact[] {
  return [...all].filter(([key]) => !side.has(key)).map(([, artifact]) => artifact)
}

interface Pair {
  before: DiffArtifact
  after: DiffArtifact
}

function listCommon(before: Contents, after: Contents): Pair[] {
  return [...before].flatMap(([key, artifact]) => {
    const other = after.get(key)
    return other ? [{ before: artifact, after: other }] : []
  })
}

const isScaled = ({ before, after }: Pair) => before.instance_count !== after.instance_count

function toChanged({ before, after: { instance_count, compliant, ...after } }: Pair) {
  return {
    ...after,
    s1_compliant: before.compliant,
    s2_compliant: compliant,
    s1_instance_count: before.instance_count,
    s2_instance_count: instance_count,
  }
}

function toUnchanged({ before, after: { compliant, ...after } }: Pair) {
  return { ...after, s1_compliant: before.compliant, s2_compliant: compliant }
}

function toUpdated([from, to]: [DiffArtifact, DiffArtifact]): Static<typeof UpdatedArtifact> {
  return {
    name: getBaseName(to.name),
    s1_version: describeVersionBeside(from, to),
    s2_version: describeVersionBeside(to, from),
    s1_fingerprint: from.fingerprint,
    s2_fingerprint: to.fingerprint,
    s1_flow: from.flow,
    s2_flow: to.flow,
    s1_compliant: from.compliant,
    s2_compliant: to.compliant,
    code_diff_url: buildCodeDiffUrl(from, to),
  }
}
