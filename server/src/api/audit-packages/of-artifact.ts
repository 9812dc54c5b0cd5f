// GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_package: everything known of an artifact in a flow.
import { notFound } from '../../lib/errors.ts'
import { findByFingerprint, reportsOf } from '../artifacts/store.ts'
import { ArtifactByFingerprintPath, toWire } from '../artifacts/wire.ts'
import { attestationsOfArtifact } from '../attestations/store.ts'
import { requireFlow } from '../flows/problems.ts'
import { Binary, operation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { visibleCounts, visiblePlaces } from '../shared/places.ts'
import { auditPackage } from './package.ts'

export const getArtifactPackage = operation(
  {
    id: 'getArtifactPackage',
    method: 'GET',
    path: '/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_package',
    tag: 'Audit packages',
    summary: 'Download the audit package of an artifact',
    access: 'reader',
    visitors: true,
    audit: 'none: reads',
    params: ArtifactByFingerprintPath,
    query: ArchivedQuery,
    returns: Binary,
    download: 'application/gzip',
    fails: [400, 403, 404],
    example: { params: { fingerprint: 'b5bb9d80' } },
  },
  async ({ params, query, org, now }, { db, base_url, evidence }) => {
    const { flow_name, fingerprint: prefix } = params
    const { org_id } = org
    const site = { base_url, org: org.name, org_id }
    const { rows, reports, attestations, places } = await db.inTransaction({ org_id }, async tx => {
      const flow_id = await requireFlow(tx, org, flow_name, query.archived)
      const [found, said] = await Promise.all([
        findByFingerprint(tx, org_id, { flow_name, prefix, trail_name: null }),
        attestationsOfArtifact(tx, org_id, { flow_id, prefix, attestation_name: null }),
      ])
      const fingerprints = [...new Set(found.map(row => row.fingerprint))]
      const [reports, places] = await Promise.all([
        reportsOf(
          tx,
          org_id,
          found.map(row => row.artifact_id),
        ),
        visiblePlaces(tx, org, fingerprints),
      ])
      return { rows: found, reports, attestations: said, places }
    })
    const [first] = rows
    if (!first || rows.some(row => row.fingerprint !== first.fingerprint)) {
      throw notFound(`Fingerprint '${prefix}' does not name one artifact in flow '${flow_name}'`)
    }
    const content = {
      name: `${flow_name}-${first.fingerprint.slice(0, 12)}`,
      title: `Artifact ${first.filename}`,
      facts: [
        ['Organization', org.name] as const,
        ['Fingerprint', first.fingerprint] as const,
        ['State', first.state] as const,
        ['Commit', first.git_commit ?? 'none'] as const,
        ['Made at', now.toISOString()] as const,
      ],
      records: {
        'artifact.json': rows.map(row => {
          const own = reports.filter(({ artifact_id }) => artifact_id === row.artifact_id)
          return toWire(visibleCounts(row, org), [], own, site, places)
        }),
      },
      attestations,
    }
    return auditPackage(content, site, evidence, now)
  },
)
