// A pull request in the form of the API, whichever host it comes from.

export interface Review {
  username: string
  state: string
  timestamp?: number
}

export interface PullRequest {
  url: string
  state: string
  merge_commit?: string
  approvers: string[]
  reviews?: Review[]
  author?: string
  title?: string
  head_ref?: string
  base_ref?: string
  created_at?: number
  merged_at?: number
}

/** Asks a host for the pull requests that contain a commit. */
export type FindPullRequests = (commit: string) => Promise<PullRequest[]>

export function toSeconds(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? undefined : ms / 1000
}
