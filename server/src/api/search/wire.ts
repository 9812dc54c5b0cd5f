// API schemas of search results.
import { type Static, Type } from 'typebox'
import { LINKED_PAGE, Page, PerLinkedPage } from '../shared/page.ts'
import { buildHistory, filterNewest } from '../shared/places.ts'
import type { Place } from '../shared/places-store.ts'
import { Closed, EpochSeconds, OneOf, toEpoch } from '../shared/wire.ts'
import type { FoundArtifact, FoundTrail, Match } from './store.ts'

const SHORT_COMMIT = 7
const MIN_PREFIX = 5

const HexPrefix = (max: number) => Type.String({ pattern: `^[a-fA-F0-9]{${MIN_PREFIX},${max}}$` })

export const ShaPath = Closed('ShaPath', { org: Type.String(), value: HexPrefix(64) })
export const CommitPath = Closed('CommitPath', { org: Type.String(), sha: HexPrefix(40) })

const MatchType = OneOf(['fingerprint', 'commit'])
const Matches = Closed('Matches', {
  type: MatchType,
  count: Type.Integer(),
  matches: Type.Array(Type.String(), { description: 'The first 100' }),
})

const ResolvedTo = Closed('ResolvedTo', {
  type: OneOf(['fingerprint', 'commit', 'ambiguous']),
  full_match: Type.String({
    description: 'The full value that was found, or the requested value if it is ambiguous',
  }),
  fingerprints: Matches,
  commits: Matches,
})

const ArtifactFound = Closed('ArtifactFound', {
  fingerprint: Type.String(),
  name: Type.String(),
  flow: Type.String(),
  git_commit: Type.String({ description: 'Empty if the report did not contain it' }),
  has_provenance: Type.Boolean(),
  commit_url: Type.String(),
  build_url: Type.String(),
  html_url: Type.String(),
  compliance_state: OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']),
  archived: Type.Boolean({ description: 'Whether its flow is archived' }),
  running_in: Type.Array(Type.String(), { description: 'Names of environments where it runs' }),
  exited_from: Type.Array(Type.String(), { description: 'Names of environments where it no longer runs' }),
  history: Type.Array(Closed('HistoryEntry', { event: Type.String(), timestamp: EpochSeconds })),
})
type ArtifactFound = Static<typeof ArtifactFound>

export const ShaFound = Closed('ShaFound', {
  resolved_to: ResolvedTo,
  artifacts: Type.Array(ArtifactFound, { description: 'Newest first, at most 100' }),
  artifacts_count: Type.Integer({ description: 'Total number of artifacts found' }),
})

const Link = Closed('Link', { href: Type.String() })

export const TrailFound = Closed('TrailFound', {
  flow_name: Type.String(),
  trail_name: Type.String(),
  branch: Type.String({ description: 'Empty if the report did not contain it' }),
  archived: Type.Boolean({ description: 'Whether its flow is archived' }),
  url: Type.String({ description: 'URL of the trail in the web app' }),
  _links: Closed('TrailFoundLinks', { self: Link, commit: Type.Optional(Link) }),
})

export const CommitTrailsQuery = Closed('CommitTrailsQuery', { page: Page, per_page: PerLinkedPage })
export const CommitTrails = Closed('CommitTrails', { trails: Type.Array(TrailFound), ...LINKED_PAGE })

/** Needed to build links. */
export interface Site {
  base_url: string
  org: string
}

export function resolve(prefix: string, found: readonly Match[]): Static<typeof ResolvedTo> {
  const [only] = found
  const isOne = found.length === 1 && only !== undefined
  return {
    type: isOne ? toMatchType(only) : 'ambiguous',
    full_match: isOne ? only.match : prefix,
    fingerprints: toMatches('fingerprint', found),
    commits: toMatches('commit', found),
  }
}

function toMatchType({ type }: Match): Static<typeof MatchType> {
  return type === 'commit' ? 'commit' : 'fingerprint'
}

function toMatches(type: Static<typeof MatchType>, found: readonly Match[]): Static<typeof Matches> {
  const own = found.filter(match => match.type === type)
  return { type, count: own[0]?.count ?? 0, matches: own.map(({ match }) => match) }
}

export function toArtifact(row: FoundArtifact, places: readonly Place[], site: Site): ArtifactFound {
  const running_in = listEnvironments(filterNewest(places, 'running'))
  return {
    fingerprint: row.fingerprint,
    name: row.filename,
    flow: row.flow_name,
    git_commit: row.git_commit ?? '',
    // Only artifacts reported to a flow are found, and being reported is provenance.
    has_provenance: true,
    commit_url: row.commit_url,
    build_url: row.build_url,
    html_url: buildHtmlUrl(site, ['flows', row.flow_name, 'artifacts', row.fingerprint]),
    compliance_state: row.state as ArtifactFound['compliance_state'],
    archived: row.is_archived,
    running_in,
    exited_from: listEnvironments(filterNewest(places, 'exited')).filter(name => !running_in.includes(name)),
    history: buildHistory(toHistoryEntries(row), places),
  }
}

function listEnvironments(places: readonly Place[]): string[] {
  return [...new Set(places.map(({ environment_name }) => environment_name))]
}

function toHistoryEntries({ git_commit, committed_at, created_at }: FoundArtifact): ArtifactFound['history'] {
  const created = { event: 'Artifact created', timestamp: toEpoch(created_at) }
  if (git_commit === null || committed_at === null) return [created]
  return [{ event: `Commit ${git_commit.slice(0, SHORT_COMMIT)}`, timestamp: committed_at }, created]
}

export function toTrail(row: FoundTrail, site: Site): Static<typeof TrailFound> {
  const { flow_name, trail_name, branch, commit_url, is_archived } = row
  const path = ['trails', site.org, flow_name, trail_name].map(encodeURIComponent).join('/')
  return {
    flow_name,
    trail_name,
    branch,
    archived: is_archived,
    url: buildHtmlUrl(site, ['flows', flow_name, 'trails', trail_name]),
    _links: {
      self: { href: `${site.base_url}/api/v2/${path}${is_archived ? '?archived=true' : ''}` },
      ...(commit_url === '' ? {} : { commit: { href: commit_url } }),
    },
  }
}

function buildHtmlUrl({ base_url, org }: Site, path: readonly string[]): string {
  return `${base_url}/${[org, ...path].map(encodeURIComponent).join('/')}`
}
