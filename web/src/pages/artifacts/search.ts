// The query parameters of the pages of artifacts, attestations and repositories.

export interface ArtifactSearch {
  artifact_id?: string
}

export interface AttestationsSearch {
  name?: string
  name_regex?: string
  flow?: string[]
  type?: string[]
  is_compliant?: boolean
  is_waiting?: boolean
  from_timestamp?: number
  to_timestamp?: number
  after?: string
}

export const REPO_VIEWS = ['build', 'release', 'run'] as const
export const PERIODS_DAYS = [7, 28, 90] as const
export const DEFAULT_DAYS = 28

export interface ReposSearch {
  name?: string
  page?: number
}

export interface RepoSearch {
  view?: (typeof REPO_VIEWS)[number]
  days?: number
  environment?: string
  page?: number
}
