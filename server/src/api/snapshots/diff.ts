// GET /env-diff/{org}: compares two snapshots, of one environment or of two.

import { type Static, Type } from 'typebox'
import type { Db } from '../../db/database.ts'
import { compareText } from '../../domain/snapshot/text-order.ts'
import { type CallerOrg, defineOperation } from '../operation.ts'
import { IncludeArchived } from '../shared/archived.ts'
import { EXAMPLE_TIME } from '../shared/examples.ts'
import { ArtifactName, CommitUrl, Fingerprint, FlowNameOrEmpty, OrgPath } from '../shared/fields.ts'
import { about, Closed, Described } from '../shared/wire.ts'
import { countArtifacts } from './head.ts'
import { parseNamedSnapshot, requireHead, type StoredHead } from './problems.ts'
import * as store from './store.ts'

const EnvironmentDiffQuery = Closed('EnvironmentDiffQuery', {
  archived: IncludeArchived,
  snappish1: Type.String({ description: 'The first snapshot: `env`, `env#N`, `env~N` or `env@{…}`' }),
  snappish2: Type.String(about('The second snapshot, in the same notation', 'prod')),
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
const DiffArtifact = Closed('EnvironmentDiffArtifact', {
  ...COMMON,
  instance_count: Type.Integer(about('Number of running instances', 2)),
})
const ChangedArtifact = Closed('EnvironmentDiffChangedArtifact', {
  ...COMMON,
  s1_instance_count: Type.Integer(about('Number of instances in the first snapshot', 1)),
  s2_instance_count: Type.Integer(about('Number of instances in the second snapshot', 2)),
})
const Side = Closed('EnvironmentDiffSide', {
  snapshot_id: Type.String(about('The snapshot, as `env#N`', 'production#41')),
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
    { artifacts: Type.Array(DiffArtifact, about('The artifacts')) },
    about('Artifacts that are in both, unchanged'),
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
      'Lists artifacts that run only in the first, only in the second, in both with different instance counts, and in both unchanged.',
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
      return {
        snappish1: { snapshot_id: formatSnapshotId(first), artifacts: listMissing(after, before) },
        snappish2: { snapshot_id: formatSnapshotId(second), artifacts: listMissing(before, after) },
        changed: {
          artifacts: listCommon(before, after).flatMap(pair => (isScaled(pair) ? [toChanged(pair)] : [])),
        },
        'not-changed': {
          artifacts: listCommon(before, after).flatMap(pair => (isScaled(pair) ? [] : [pair.after])),
        },
      }
    })
  },
)

const formatSnapshotId = (head: StoredHead) => `${head.environment_name}#${head.asked_index}`

type Contents = Map<string, DiffArtifact>

/** The running artifacts of a snapshot by key. For a logical environment, those of all members combined. */
async function readContents(tx: Db, org: CallerOrg, head: StoredHead): Promise<Contents> {
  const parts = head.members ?? [{ environment_id: head.environment_id, snapshot_index: head.asked_index }]
  const rows = await store.listRunsForDiff(tx, org.org_id, parts)
  const found: Contents = new Map()
  for (const row of rows.sort((a, b) => compareText(a.name, b.name))) {
    const known = found.get(row.artifact_key)
    found.set(row.artifact_key, known ? mergeArtifacts(known, toArtifact(row)) : toArtifact(row))
  }
  return found
}

function toArtifact(row: store.DiffRow): DiffArtifact {
  return {
    fingerprint: row.fingerprint,
    name: row.name,
    flow: row.flow ?? '',
    commit_url: row.commit_url ?? '',
    most_recent_timestamp: row.most_recent_timestamp,
    ...(row.pods === null ? {} : { pods: row.pods }),
    instance_count: row.instance_count,
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

function toChanged({ before, after: { instance_count, ...after } }: Pair) {
  return { ...after, s1_instance_count: before.instance_count, s2_instance_count: instance_count }
}
