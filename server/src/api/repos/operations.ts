// The operations on repositories.
import type { Operation } from '../operation.ts'
import { listRepoFilterOptions } from './filter-options.ts'
import { getRepo } from './get.ts'
import { listRepos } from './list.ts'
import { getRepoLiveArtifacts } from './live-artifacts.ts'
import { listRepoTags } from './tags.ts'

export const repoOperations: readonly Operation[] = [
  listRepos,
  getRepo,
  getRepoLiveArtifacts,
  listRepoFilterOptions,
  listRepoTags,
]
