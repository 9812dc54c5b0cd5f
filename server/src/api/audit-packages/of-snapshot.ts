// GET /snapshots/{org}/{env_name}/{snapshot_expression}/audit_package: a snapshot with every verdict, and its proof.
import { formatJson } from '../../domain/audit-package/seal.ts'
import { describeVerdict } from '../../domain/snapshot/unknown.ts'
import { toWireId } from '../../lib/ids.ts'
import { findLeafOfSnapshot } from '../../log/leaf-store.ts'
import { listEvents } from '../audit-events/store.ts'
import { Binary, defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { readWholeSnapshot } from '../snapshots/read.ts'
import { SnapshotPath } from '../snapshots/wire.ts'
import { proveSnapshot } from './prove.ts'
import { buildSealedPackage } from './sealed-package.ts'

const ARTIFACTS_PER_FILE = 100

export const getSnapshotPackage = defineOperation(
  {
    id: 'getSnapshotPackage',
    method: 'GET',
    path: '/snapshots/{org}/{env_name}/{snapshot_expression}/audit_package',
    tag: 'Audit packages',
    summary: 'Download the audit package of a snapshot',
    description:
      'The snapshot, its running artifacts with their verdicts and reasons, and its event with its proof in the log, for ' +
      '`waybill verify`.',
    access: 'reader',
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: SnapshotPath,
    query: ArchivedQuery,
    returns: Binary,
    download: 'application/gzip',
    fails: [400, 403, 404, 503],
    example: { params: { snapshot_expression: '-1' } },
  },
  async (request, deps) => {
    const { params, query, org, now } = request
    const { org_id } = org
    const { found, head, artifacts } = await deps.db.withTransaction({ org_id }, tx =>
      readWholeSnapshot(tx, { org, now, names: { ...params, ...query } }, deps.base_url),
    )
    const { index } = head
    const leaf = await findLeafOfSnapshot(deps.db, org_id, {
      env_name: params.env_name,
      snapshot_index: index,
    })
    const events = await deps.db.withTransaction({ org_id }, tx =>
      listEvents(tx, org_id, leaf ? [leaf.event_id] : []),
    )
    return buildSealedPackage(
      {
        name: `${org.name}-${params.env_name}-${index}`,
        title: `Snapshot ${index} of environment ${params.env_name}`,
        asked: { scope: 'snapshot', subject: `${params.env_name}/${index}`, from: null, to: null },
        facts: [
          ['Organization', org.name],
          ['Environment', params.env_name],
          ['Snapshot', String(index)],
          ['State', describeVerdict(head.state, head.unknown_because)],
          ['Generated at', now.toISOString()],
        ],
        // Every environment has a snapshot 1: the id says which environment it is.
        records: { 'snapshot.json': { environment_id: toWireId(found.environment_id), ...head } },
        proofs: { 'snapshot.json': proveSnapshot(org_id, leaf, found.applied_policies, deps.db) },
        artifacts: splitArtifacts(artifacts),
        events,
      },
      request,
      deps,
    )
  },
)

/** A snapshot may have ten thousand artifacts, so they are rendered while the package is read. */
function* splitArtifacts(artifacts: Iterable<unknown>): Generator<{ path: string; content: string }> {
  let chunk: unknown[] = []
  let file = 0
  const write = () => {
    file += 1
    return { path: `artifacts/${String(file).padStart(4, '0')}.json`, content: formatJson(chunk) }
  }
  for (const artifact of artifacts) {
    chunk.push(artifact)
    if (chunk.length < ARTIFACTS_PER_FILE) continue
    yield write()
    chunk = []
  }
  if (chunk.length > 0) yield write()
}
