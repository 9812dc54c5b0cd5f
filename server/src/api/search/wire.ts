// API schemas of search results.
import { type Static, Type } from 'typebox'
import { EXAMPLE_COMMIT, EXAMPLE_FINGERPRINT } from '../shared/examples.ts'
import {
  ArtifactName,
  BuildUrl,
  CommitUrl,
  EventTime,
  Fingerprint,
  FlowArchived,
  FlowName,
  FlowNameOrEmpty,
  OrgName,
  PageUrl,
  TrailName,
} from '../shared/fields.ts'
import { LINKED_PAGE, Link, Page, PerLinkedPage } from '../shared/page.ts'
import { buildHistory, filterNewest } from '../shared/places.ts'
import type { Place } from '../shared/places-store.ts'
import { about, Closed, Described, OneOf, toEpoch } from '../shared/wire.ts'
import type { FoundArtifact, FoundTrail, Match } from './store.ts'

const SHORT_COMMIT = 7
const MIN_PREFIX = 5

const HexPrefix = (max: number) => Type.String({ pattern: `^[a-fA-F0-9]{${MIN_PREFIX},${max}}$` })

export const ShaPath = Closed('ShaPath', {
  org: OrgName,
  value: Described(HexPrefix(64), 'The first characters of a fingerprint or commit SHA-1', 'b5bb9d80'),
})
export const CommitPath = Closed('CommitPath', {
  org: OrgName,
  sha: Described(HexPrefix(40), 'The first characters of the commit SHA-1', '4f2c1d0b'),
})

const MatchType = OneOf(['fingerprint', 'commit'], about('Type of the compared values', 'fingerprint'))
const Matches = Closed('Matches', {
  type: MatchType,
  count: Type.Integer(about('Number of matches', 1)),
  matches: Type.Array(Type.String(), about('The matching values, at most 100', [EXAMPLE_FINGERPRINT])),
})

const ResolvedTo = Closed(
  'ResolvedTo',
  {
    type: OneOf(
      ['fingerprint', 'commit', 'ambiguous'],
      about('Whether the value matches a fingerprint, a commit, or both', 'fingerprint'),
    ),
    full_match: Type.String(
      about('The full value that was found, or the requested value if it is ambiguous', EXAMPLE_FINGERPRINT),
    ),
    fingerprints: Described(Matches, 'Matching fingerprints'),
    commits: Described(Matches, 'Matching commits'),
  },
  about('The result of the lookup'),
)

const ArtifactFound = Closed('ArtifactFound', {
  fingerprint: Fingerprint,
  name: ArtifactName,
  flow: FlowNameOrEmpty,
  git_commit: Type.String(about('Full SHA-1 of the commit; empty if none was reported', EXAMPLE_COMMIT)),
  has_provenance: Type.Boolean(about('Whether a flow reported the artifact', true)),
  commit_url: CommitUrl,
  build_url: BuildUrl,
  html_url: PageUrl,
  compliance_state: OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'], about('The verdict', 'COMPLIANT')),
  archived: FlowArchived,
  running_in: Type.Array(Type.String(), about('Names of environments where it runs', ['production'])),
  exited_from: Type.Array(Type.String(), about('Names of environments where it no longer runs', ['staging'])),
  history: Type.Array(
    Closed('HistoryEntry', {
      event: Type.String(about('The event, as a sentence', 'Artifact created')),
      timestamp: EventTime,
    }),
    about('History of the artifact, oldest first'),
  ),
})
type ArtifactFound = Static<typeof ArtifactFound>

export const ShaFound = Closed('ShaFound', {
  resolved_to: ResolvedTo,
  artifacts: Type.Array(ArtifactFound, { description: 'The artifacts found, newest first, at most 100' }),
  artifacts_count: Type.Integer({ description: 'Total number of artifacts found' }),
})

export const TrailFound = Closed('TrailFound', {
  flow_name: FlowName,
  trail_name: TrailName,
  branch: Type.String(about('Name of the branch; empty if none was reported', 'main')),
  archived: FlowArchived,
  url: Type.String(about('URL of the trail in the web app', 'https://git.example.com/acme/backend')),
  _links: Closed(
    'TrailFoundLinks',
    {
      self: Described(Link, 'Link to the trail'),
      commit: Type.Optional(Described(Link, 'Link to the commit at the git provider')),
    },
    about('Links to this resource and related ones'),
  ),
})

export const CommitTrailsQuery = Closed('CommitTrailsQuery', { page: Page, per_page: PerLinkedPage })
export const CommitTrails = Closed('CommitTrails', {
  trails: Type.Array(TrailFound, about('The trails on this page')),
  ...LINKED_PAGE,
})

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
