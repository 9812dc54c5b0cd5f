// The operations on repositories.
import type { Operation } from '../operation.ts'
import { getRepo } from './get.ts'
import { listRepos } from './list.ts'
import { getRepoLiveArtifacts } from './live-artifacts.ts'

export const repoOperations: readonly Operation[] = [listRepos, getRepo, getRepoLiveArtifacts]
