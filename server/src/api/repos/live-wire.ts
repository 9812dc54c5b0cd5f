// API schemas of the running artifacts of a repository.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { Closed, EpochSeconds, Nullable, OneOf, toEpoch } from '../shared/wire.ts'
import type { LiveRow } from './live-store.ts'

const Link = Closed('Link', { href: Type.String() })
const Links = Closed('ResourceLinks', { self: Link, html: Link })

const LiveArtifact = Closed('LiveArtifact', {
  environment_id: Type.String(),
  environment_name: Type.String(),
  artifact_id: Type.String(),
  artifact_name: Type.String({ description: 'The name under which it runs' }),
  fingerprint: Type.String(),
  commit_sha: Nullable(Type.String()),
  snapshot_index: Type.Integer({ description: 'The snapshot in which it started' }),
  compliance: Nullable(
    OneOf(['COMPLIANT', 'NON-COMPLIANT'], { description: 'Null if no policy is attached' }),
  ),
  started_at: EpochSeconds,
  _links: Links,
})

const EmbeddedArtifact = Closed('EmbeddedArtifact', {
  id: Type.String(),
  fingerprint: Type.String(),
  commit_sha: Nullable(Type.String()),
  commit_url: Nullable(Type.String()),
  _links: Links,
})

const EmbeddedEnvironment = Closed('EmbeddedEnvironment', {
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  _links: Links,
})

export const RepoLiveStatus = Closed('RepoLiveStatus', {
  live_artifacts: Type.Array(LiveArtifact),
  _embedded: Closed('RepoLiveStatusEmbedded', {
    artifacts: Type.Array(EmbeddedArtifact),
    environments: Type.Array(EmbeddedEnvironment),
  }),
  _links: Closed('SelfLink', { self: Link }),
})

interface Site {
  base_url: string
  org: string
  /** The URL of the request. */
  url: string
}

export function toWire(rows: readonly LiveRow[], site: Site): Static<typeof RepoLiveStatus> {
  return {
    live_artifacts: rows.map(row => toLiveArtifact(row, site)),
    _embedded: {
      artifacts: uniqueBy(rows, row => row.artifact_id).map(row => ({
        id: toWireId(row.artifact_id),
        fingerprint: row.fingerprint,
        commit_sha: row.git_commit,
        commit_url: row.commit_url,
        _links: buildLinks(
          site,
          ['artifacts', site.org, row.flow_name, 'fingerprint', row.fingerprint],
          [site.org, 'flows', row.flow_name, 'artifacts', row.fingerprint],
        ),
      })),
      environments: uniqueBy(rows, row => row.environment_id).map(row => ({
        id: toWireId(row.environment_id),
        name: row.environment_name,
        type: row.environment_type,
        _links: buildLinks(
          site,
          ['environments', site.org, row.environment_name],
          [site.org, 'environments', row.environment_name],
        ),
      })),
    },
    _links: { self: { href: site.url } },
  }
}

function toLiveArtifact(row: LiveRow, site: Site): Static<typeof LiveArtifact> {
  const snapshot = String(row.snapshot_index)
  return {
    environment_id: toWireId(row.environment_id),
    environment_name: row.environment_name,
    artifact_id: toWireId(row.artifact_id),
    artifact_name: row.artifact_name,
    fingerprint: row.fingerprint,
    commit_sha: row.git_commit,
    snapshot_index: row.snapshot_index,
    compliance: row.compliant === null ? null : row.compliant ? 'COMPLIANT' : 'NON-COMPLIANT',
    started_at: toEpoch(row.started_at),
    _links: buildLinks(
      site,
      ['snapshots', site.org, row.environment_name, snapshot],
      [site.org, 'environments', row.environment_name, 'snapshots', snapshot],
    ),
  }
}

function buildLinks({ base_url }: Site, api: string[], page: string[]) {
  const joinPath = (parts: string[]) => parts.map(encodeURIComponent).join('/')
  return {
    self: { href: `${base_url}/api/v2/${joinPath(api)}` },
    html: { href: `${base_url}/${joinPath(page)}` },
  }
}

function uniqueBy(rows: readonly LiveRow[], key: (row: LiveRow) => string): LiveRow[] {
  return [...new Map(rows.map(row => [key(row), row])).values()]
}
