// Shows people the differences between two snapshots: which version of an artifact replaced which, and the
// code changes.
import { getBaseName } from '../../../server/src/domain/snapshot/replaced.ts'
import {
  buildCodeDiffUrl,
  describeVersionBeside,
  pairVersions,
} from '../../../server/src/domain/snapshot/versions.ts'
import type { Schemas } from '../api-types.ts'
import { formatTable } from '../print/table.ts'

type Artifact = Pick<Schemas['EnvironmentDiffArtifact'], 'fingerprint' | 'name' | 'flow' | 'commit_url'>

/** The fields used of a comparison. An older service does not send the rest. */
interface EnvironmentDiff {
  snappish1: { snapshot_id: string; artifacts: Artifact[] }
  snappish2: { snapshot_id: string; artifacts: Artifact[] }
  changed: { artifacts: (Artifact & { s1_instance_count: number; s2_instance_count: number })[] }
  'not-changed': { artifacts: Artifact[] }
}

type Change = 'updated' | 'removed' | 'added' | 'scaled' | 'unchanged'

export interface Difference {
  change: Change
  /** The artifact name without its version. */
  name: string
  before: string
  after: string
  flow: string
  /** The page that compares the commits, or shows the only commit; empty if there is none. */
  code: string
}

export function pairDifferences(diff: EnvironmentDiff): Difference[] {
  const [before, after] = [diff.snappish1.artifacts, diff.snappish2.artifacts]
  const pairs = pairVersions<Artifact>(before, after)
  const paired = new Set(pairs.flat())
  const isPaired = (artifact: Artifact) => paired.has(artifact)
  return [
    ...pairs.map(([from, to]) => describePair(from, to)),
    ...before.filter(each => !isPaired(each)).map(each => describeOne('removed', each)),
    ...after.filter(each => !isPaired(each)).map(each => describeOne('added', each)),
    ...diff.changed.artifacts.map(each => ({
      ...describeOne('scaled', each),
      before: `${each.s1_instance_count} running`,
      after: `${each.s2_instance_count} running`,
    })),
    ...diff['not-changed'].artifacts.map(each => describeOne('unchanged', each)),
  ].toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}

function describePair(from: Artifact, to: Artifact): Difference {
  return {
    change: 'updated',
    name: getBaseName(to.name),
    before: describeVersionBeside(from, to),
    after: describeVersionBeside(to, from),
    flow: to.flow,
    code: buildCodeDiffUrl(from, to) ?? '',
  }
}

function describeOne(change: Change, artifact: Artifact): Difference {
  const version = describeVersionBeside(artifact, undefined)
  return {
    change,
    name: getBaseName(artifact.name),
    before: change === 'added' ? '' : version,
    after: change === 'removed' ? '' : version,
    flow: artifact.flow,
    code: change === 'unchanged' || change === 'scaled' ? '' : artifact.commit_url,
  }
}

export function describeDifferences(diff: EnvironmentDiff, differences: readonly Difference[]): string {
  if (differences.length === 0) return 'No differences'
  const head = ['CHANGE', 'ARTIFACT', diff.snappish1.snapshot_id, diff.snappish2.snapshot_id, 'FLOW', 'CODE']
  const rows = differences.map(({ change, name, before, after, flow, code }) =>
    [change, name, before, after, flow, code].map(value => value || '-'),
  )
  return formatTable([head, ...rows])
}
