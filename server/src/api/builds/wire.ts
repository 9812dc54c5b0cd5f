// Builds as the API sends them: each artifact once, as first reported.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { Moment } from '../shared/moments.ts'
import { LINKED_PAGE, Page, PerLinkedPage } from '../shared/page.ts'
import { Closed, EpochSeconds, Nullable, toEpoch } from '../shared/wire.ts'
import type { BuildRow } from './store.ts'

export const DEFAULT_DAYS = 28

export const BuildListQuery = Closed('BuildListQuery', {
  page: Page,
  per_page: PerLinkedPage,
  repo_id: Type.Optional(
    Type.String({ description: 'Only builds of the repository with this id at its git host' }),
  ),
  repo_name: Type.Optional(Type.String({ description: 'Only builds of repositories with this full name' })),
  repo_inner_id: Type.Optional(
    Type.String({ description: 'Only builds of the repository with this id in Waybill' }),
  ),
  start_ts: Moment(`Start of the period, in epoch seconds. Defaults to ${DEFAULT_DAYS} days before the end`),
  end_ts: Moment('End of the period, in epoch seconds. Defaults to now'),
})

const Link = Closed('Link', { href: Type.String() })

const Build = Closed('Build', {
  fingerprint: Type.String(),
  artifact_id: Type.String(),
  artifact_name: Type.String(),
  flow_name: Type.String(),
  trail_name: Nullable(Type.String()),
  git_commit: Nullable(Type.String()),
  commit_url: Type.String(),
  build_url: Type.String(),
  repo_info: Nullable(
    Closed('BuildRepo', {
      id: Type.String(),
      name: Type.String(),
      repo_id: Type.String({ description: 'Id of the repository at its git host' }),
    }),
  ),
  created_at: EpochSeconds,
  html_url: Type.String(),
  _links: Closed('BuildLinks', { artifact: Link }),
})

export const BuildPage = Closed('BuildPage', { builds: Type.Array(Build), ...LINKED_PAGE })

export function toWire(row: BuildRow, site: { base_url: string; org: string }): Static<typeof Build> {
  const joinPath = (...names: string[]) => names.map(encodeURIComponent).join('/')
  const artifact = joinPath('artifacts', site.org, row.flow_name, 'fingerprint', row.fingerprint)
  const page = joinPath(site.org, 'flows', row.flow_name, 'artifacts', row.fingerprint)
  const id = toWireId(row.artifact_id)
  return {
    fingerprint: row.fingerprint,
    artifact_id: id,
    artifact_name: row.filename,
    flow_name: row.flow_name,
    trail_name: row.trail_name,
    git_commit: row.git_commit,
    commit_url: row.commit_url,
    build_url: row.build_url,
    repo_info: row.repo && { ...row.repo, id: toWireId(row.repo.id) },
    created_at: toEpoch(row.created_at),
    html_url: `${site.base_url}/${page}${row.trail_name === null ? '' : `?artifact_id=${id}`}`,
    _links: { artifact: { href: `${site.base_url}/api/v2/${artifact}` } },
  }
}
