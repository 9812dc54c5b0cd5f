// Versions of running artifacts: what to call them, which of them belong together, and which one is the newest.
import { buildCompareUrl, getBaseName } from './replaced.ts'

/** An artifact that runs somewhere. */
export interface RunningVersion {
  name: string
  fingerprint: string
  /** Empty if no flow has reported it. */
  flow: string
  /** Empty if unknown. */
  commit_url: string
}

const SHORT = 12

/** The tag of an image, or else the beginning of the fingerprint, or else the name. */
export function describeVersion({ name, fingerprint }: { name: string; fingerprint: string }): string {
  return getTag(name) || fingerprint.slice(0, SHORT) || name
}

/** The version as shown beside another one: with the fingerprint if the tag alone does not tell them apart. */
export function describeVersionBeside(
  one: { name: string; fingerprint: string },
  other: { name: string } | undefined,
): string {
  const tag = getTag(one.name)
  if (tag === '') return one.fingerprint.slice(0, SHORT)
  return other !== undefined && other.name !== one.name ? tag : `${tag} ${one.fingerprint.slice(0, SHORT)}`
}

function getTag(name: string): string {
  return name
    .slice(getBaseName(name).length)
    .replace(/^:/, '')
    .replace(/@sha256:.*$/, '')
}

/** Pairs by name without the version, then the rest by flow. Pairs only if there is exactly one on each side. */
export function pairVersions<T extends RunningVersion>(before: readonly T[], after: readonly T[]): [T, T][] {
  const byName = pairBy(before, after, ({ name }) => getBaseName(name))
  const paired = new Set(byName.flat())
  const isLeft = (artifact: T) => !paired.has(artifact)
  const byFlow = pairBy(before.filter(isLeft), after.filter(isLeft), ({ flow }) => flow)
  return [...byName, ...byFlow]
}

function pairBy<T>(before: readonly T[], after: readonly T[], getKey: (artifact: T) => string): [T, T][] {
  const [first, second] = [indexOnly(before, getKey), indexOnly(after, getKey)]
  return [...first].flatMap(([key, from]): [T, T][] => {
    const to = second.get(key)
    return from === undefined || to === undefined ? [] : [[from, to]]
  })
}

/** The artifact of each key that only one artifact has; undefined for a key that several share. */
function indexOnly<T>(artifacts: readonly T[], getKey: (artifact: T) => string): Map<string, T | undefined> {
  const found = new Map<string, T | undefined>()
  for (const artifact of artifacts) {
    const key = getKey(artifact)
    if (key !== '') found.set(key, found.has(key) ? undefined : artifact)
  }
  return found
}

/** The page that compares the code of two versions; null if their commits are not known well enough. */
export function buildCodeDiffUrl(from: { commit_url: string }, to: { commit_url: string }): string | null {
  return buildCompareUrl(toCommit(from), toCommit(to))
}

function toCommit({ commit_url }: { commit_url: string }) {
  const git_commit = /\/commits?\/([0-9a-f]{7,64})/i.exec(commit_url)?.[1] ?? null
  return { git_commit, commit_url: commit_url || null, repo_key: null }
}

/** When a version started for the first time, in any environment; null if unknown. */
export interface FirstStart {
  artifact_key: string
  first_started_at: Date | null
}

/**
 * The version that first started most recently. An old version that was deployed again stays old, so an environment
 * that was rolled back does not have the newest one. Ties are broken the same way every time.
 */
export function findNewestVersion(versions: readonly FirstStart[]): string | undefined {
  const getTime = ({ first_started_at }: FirstStart) =>
    first_started_at?.getTime() ?? Number.NEGATIVE_INFINITY
  return versions.toSorted((a, b) => {
    const [one, other] = [getTime(a), getTime(b)]
    return one === other ? (a.artifact_key < b.artifact_key ? -1 : 1) : other > one ? 1 : -1
  })[0]?.artifact_key
}
