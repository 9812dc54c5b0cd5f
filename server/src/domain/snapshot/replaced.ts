// Finds what an artifact replaced when it started: the earlier run, a link that compares the two commits, and the
// time from commit to start.

export interface Commit {
  git_commit: string | null
  commit_url: string | null
  // The id of the repository; null if unknown.
  repo_key: string | null
}

export interface StartedRun extends Commit {
  fingerprint: string
  artifact_name: string
}

export interface EarlierRun extends StartedRun {
  trail_name: string | null
  template_reference_name: string | null
  compliance_state: string
  // The snapshot in which it started.
  snapshot_index: number
  is_running: boolean
  exits_now: boolean
}

// `earlier` are runs in the same environment, of the same flow and template name. Several images may share a template
// name, so a run that continues under another name was not replaced.
export function findReplaced(started: StartedRun, earlier: readonly EarlierRun[]): EarlierRun | undefined {
  const others = earlier.filter(run => run.fingerprint !== started.fingerprint)
  const base = getBaseName(started.artifact_name)
  return (
    findLatest(others.filter(run => getBaseName(run.artifact_name) === base)) ??
    findLatest(others.filter(run => run.exits_now))
  )
}

// The image name without tag and digest; other names unchanged.
export function getBaseName(artifact_name: string): string {
  return artifact_name.replace(/@sha256:.*$/, '').replace(/:\w[\w.-]*$/, '')
}

// Null if the link would lead nowhere or show nothing.
export function buildCompareUrl(previous: Commit, current: Commit): string | null {
  const [from, to] = [parseCommitPlace(previous), parseCommitPlace(current)]
  if (!from || !to || from.sha === to.sha) return null
  const isOtherRepo =
    previous.repo_key !== null && current.repo_key !== null && previous.repo_key !== current.repo_key
  if (isOtherRepo || from.repo_url !== to.repo_url || from.form !== to.form) return null
  if (from.form === 'commit') return `${to.repo_url}/compare/${from.sha}...${to.sha}`
  return `${to.repo_url}/branches/compare/${to.sha}%0D${from.sha}`
}

// In seconds. Negative if the commit was rewritten or has a wrong date.
export function computeLeadTime(
  creation_timestamps: readonly number[],
  commit_timestamp: number | null,
): number | null {
  // Reporters send 0 for an unknown start.
  const known = creation_timestamps.filter(timestamp => timestamp > 0)
  if (commit_timestamp === null || known.length === 0) return null
  return known.reduce((least, timestamp) => Math.min(least, timestamp)) - commit_timestamp
}

interface Place {
  sha: string
  repo_url: string
  form: 'commit' | 'commits'
}

const SHA = /^[0-9a-f]{7,64}$/
const COMMIT_URL = /^(https?:\/\/[^/?#\s]+\/[^?#\s]+)\/commit\/[0-9a-f]{7,64}\/?(?:[?#]\S*)?$/i
// Owner and repository only: with more in front, this is a page of a pull request or of another product.
const COMMITS_URL = /^(https?:\/\/[^/?#\s]+\/[^/?#\s]+\/[^/?#\s]+)\/commits\/[0-9a-f]{7,64}\/?(?:[?#]\S*)?$/i
// Has commit pages of the usual form, but another compare page.
const OTHER_COMPARE = /\/_git\//

function parseCommitPlace({ git_commit, commit_url }: Commit): Place | undefined {
  const sha = git_commit?.toLowerCase() ?? ''
  if (!SHA.test(sha) || commit_url === null || OTHER_COMPARE.test(commit_url)) return undefined
  const common = COMMIT_URL.exec(commit_url)?.[1]
  if (common !== undefined) return { sha, repo_url: common, form: 'commit' }
  const plural = COMMITS_URL.exec(commit_url)?.[1]
  return plural === undefined ? undefined : { sha, repo_url: plural, form: 'commits' }
}

// The run that started last. If several started together, one that has just exited comes first; ties are broken the
// same way every time.
function findLatest(runs: readonly EarlierRun[]): EarlierRun | undefined {
  return [...runs].sort(
    (a, b) =>
      b.snapshot_index - a.snapshot_index ||
      Number(b.exits_now) - Number(a.exits_now) ||
      (a.fingerprint < b.fingerprint ? -1 : 1),
  )[0]
}
