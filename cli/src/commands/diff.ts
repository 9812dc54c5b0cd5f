// The differences between two snapshots for people: which version of an artifact became which, and the code between them.
import { buildCompareUrl, getBaseName } from '../../../server/src/domain/snapshot/replaced.ts'
import type { Schemas } from '../api-types.ts'
import { formatTable } from '../print/table.ts'

type EnvironmentDiff = Schemas['EnvironmentDiff']
type Artifact = Pick<Schemas['EnvironmentDiffArtifact'], 'fingerprint' | 'name' | 'flow' | 'commit_url'>

export type Change = 'updated' | 'removed' | 'added' | 'scaled' | 'unchanged'

export interface Difference {
  change: Change
  /** Without the version. */
  name: string
  before: string
  after: string
  flow: string
  /** The page that compares the commits, or that of the only commit; empty if there is none. */
  code: string
}

export function pairDifferences(diff: EnvironmentDiff): Difference[] {
  const [before, after] = [diff.snappish1.artifacts, diff.snappish2.artifacts]
  const pairs = pairVersions(before, after)
  const isPaired = (artifact: Artifact) => pairs.some(pair => pair.includes(artifact))
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

/** By name without the version; what is left, by flow. Only if there is exactly one on each side. */
function pairVersions(before: readonly Artifact[], after: readonly Artifact[]): [Artifact, Artifact][] {
  const byName = pairBy(before, after, ({ name }) => getBaseName(name))
  const isLeft = (artifact: Artifact) => !byName.some(pair => pair.includes(artifact))
  const byFlow = pairBy(before.filter(isLeft), after.filter(isLeft), ({ flow }) => flow)
  return [...byName, ...byFlow]
}

function pairBy(
  before: readonly Artifact[],
  after: readonly Artifact[],
  getKey: (artifact: Artifact) => string,
): [Artifact, Artifact][] {
  return before.flatMap((from): [Artifact, Artifact][] => {
    const key = getKey(from)
    const [same, to] = [before, after].map(side => side.filter(each => getKey(each) === key))
    const [only] = to ?? []
    return key !== '' && same?.length === 1 && to?.length === 1 && only !== undefined ? [[from, only]] : []
  })
}

function describePair(from: Artifact, to: Artifact): Difference {
  const compared = buildCompareUrl(toCommit(from), toCommit(to))
  return {
    change: 'updated',
    name: getBaseName(to.name),
    before: describeVersion(from, to),
    after: describeVersion(to, from),
    flow: to.flow,
    code: compared ?? '',
  }
}

function describeOne(change: Change, artifact: Artifact): Difference {
  const version = describeVersion(artifact, undefined)
  return {
    change,
    name: getBaseName(artifact.name),
    before: change === 'added' ? '' : version,
    after: change === 'removed' ? '' : version,
    flow: artifact.flow,
    code: change === 'unchanged' || change === 'scaled' ? '' : artifact.commit_url,
  }
}

const SHORT = 12

/** The tag, and the fingerprint if the tag alone does not tell it from the other one. */
function describeVersion({ name, fingerprint }: Artifact, other: Artifact | undefined): string {
  const tag = name
    .slice(getBaseName(name).length)
    .replace(/^:/, '')
    .replace(/@sha256:.*$/, '')
  const short = fingerprint.slice(0, SHORT)
  if (tag === '') return short
  return other !== undefined && other.name !== name ? tag : `${tag} ${short}`
}

function toCommit({ commit_url }: Artifact) {
  const git_commit = /\/commits?\/([0-9a-f]{7,64})/i.exec(commit_url)?.[1] ?? null
  return { git_commit, commit_url: commit_url || null, repo_key: null }
}

export function describeDifferences(diff: EnvironmentDiff, differences: readonly Difference[]): string {
  if (differences.length === 0) return 'No differences'
  const head = ['CHANGE', 'ARTIFACT', diff.snappish1.snapshot_id, diff.snappish2.snapshot_id, 'FLOW', 'CODE']
  const rows = differences.map(({ change, name, before, after, flow, code }) =>
    [change, name, before, after, flow, code].map(value => value || '-'),
  )
  return formatTable([head, ...rows])
}
