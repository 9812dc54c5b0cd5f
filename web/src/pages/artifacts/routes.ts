// The routes of artifacts, of all attestations of an organization, and of repositories.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'
import {
  dropUndefined,
  pickOne,
  type RawSearch,
  readFlag,
  readPage,
  readText,
  readTexts,
  readTime,
} from '../../ui/search-params.ts'
import {
  type ArtifactSearch,
  type AttestationsSearch,
  PERIODS_DAYS,
  REPO_VIEWS,
  type RepoSearch,
  type ReposSearch,
} from './search.ts'

const artifact = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows/$flow/artifacts/$fingerprint',
  validateSearch: (search: RawSearch): ArtifactSearch =>
    dropUndefined({ artifact_id: readText(search.artifact_id) }),
  loader: context => loadFirst('artifact', context),
  component: lazyRouteComponent(() => loadLater(() => import('./artifact.tsx')), 'ArtifactPage'),
})

const attestations = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/attestations',
  validateSearch: (search: RawSearch): AttestationsSearch =>
    dropUndefined({
      name: readText(search.name),
      name_regex: readText(search.name_regex),
      flow: readTexts(search.flow),
      type: readTexts(search.type),
      is_compliant: readFlag(search.is_compliant),
      is_waiting: readFlag(search.is_waiting),
      from_timestamp: readTime(search.from_timestamp),
      to_timestamp: readTime(search.to_timestamp),
      after: readText(search.after),
    }),
  loader: context => loadFirst('attestations', context),
  component: lazyRouteComponent(() => loadLater(() => import('./attestations.tsx')), 'AttestationsPage'),
})

/** Parent of the list and of each repository: a splat may be empty, and then the list must win. */
const reposRoot = createRoute({ getParentRoute: () => rootRoute, path: '/$org/repos' })

const repos = createRoute({
  getParentRoute: () => reposRoot,
  path: '/',
  validateSearch: (search: RawSearch): ReposSearch =>
    dropUndefined({ name: readText(search.name), page: readPage(search.page) }),
  loader: context => loadFirst('repos', context),
  component: lazyRouteComponent(() => loadLater(() => import('./repos.tsx')), 'ReposPage'),
})

/** A splat, because repository names contain slashes. */
const repo = createRoute({
  getParentRoute: () => reposRoot,
  path: '$',
  validateSearch: (search: RawSearch): RepoSearch =>
    dropUndefined({
      view: pickOne(search.view, REPO_VIEWS),
      days: pickOne(search.days, PERIODS_DAYS),
      environment: readText(search.environment),
      page: readPage(search.page),
    }),
  loader: context => loadFirst('repo', context),
  component: lazyRouteComponent(() => loadLater(() => import('./repo.tsx')), 'RepoPage'),
})

export const artifactsRoutes = [artifact, attestations, reposRoot.addChildren([repos, repo])] as const
