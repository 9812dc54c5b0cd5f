// Collects the content of audit packages and audit PDFs, for a trail or an artifact.
import { listTrailEvents } from '../../events/store.ts'
import { notFound } from '../../lib/errors.ts'
import { listArtifactsByFingerprint, listReports } from '../artifacts/store.ts'
import { toWire as toArtifact } from '../artifacts/wire.ts'
import { listArtifactAttestations, listTrailAttestations } from '../attestations/store.ts'
import { requireFlow } from '../flows/problems.ts'
import type { CallerOrg, Deps } from '../operation.ts'
import { hideCountsFromVisitors, listVisiblePlaces } from '../shared/places.ts'
import { noSuchTrail } from '../trails/problems.ts'
import { findTrail, readTrailEvidence } from '../trails/store.ts'
import { toWire as toTrail } from '../trails/wire.ts'
import type { PackageContent } from './package.ts'
import { proveReports, proveTrail } from './prove.ts'

const MAX_EVENTS = 10_000

interface ContentRequest<P> {
  params: P
  query: { archived?: boolean }
  org: CallerOrg
  now: Date
}

export async function readTrailContent(
  { params, query, org, now }: ContentRequest<{ flow_name: string; trail_name: string }>,
  { db, base_url }: Deps,
): Promise<PackageContent> {
  const { flow_name, trail_name } = params
  const { org_id } = org
  const { trail_id, trail, attestations } = await db.withTransaction({ org_id }, async tx => {
    const trailKey = { flow_name, trail_name }
    const flow_id = await requireFlow(tx, org, flow_name, query.archived)
    const [found, events, slots, attestationRows] = await Promise.all([
      findTrail(tx, org_id, trailKey),
      listTrailEvents(tx, org_id, { ...trailKey, with_environments: !org.is_visitor }, MAX_EVENTS),
      readTrailEvidence(tx, org_id, trailKey),
      listTrailAttestations(tx, org_id, { flow_id, trail_name, attestation_name: null }),
    ])
    if (!found) throw noSuchTrail(trail_name, flow_name, org.name)
    return {
      trail_id: found.trail_id,
      trail: toTrail(found, slots, events, org_id, { base_url, org: org.name }),
      attestations: attestationRows,
    }
  })
  return {
    name: `${flow_name}-${trail_name}`,
    title: `Trail ${trail_name} of flow ${flow_name}`,
    asked: { scope: 'trail', subject: `${flow_name}/${trail_name}`, from: null, to: null },
    facts: [
      ['Organization', org.name],
      ['State', trail.compliance_state],
      ['Commit', trail.git_commit_info?.sha1 ?? 'none'],
      ['Page', { text: trail.html_url, href: trail.html_url }],
      ['Generated at', now.toISOString()],
    ],
    records: { 'trail.json': trail },
    proofs: { 'trail.json': proveTrail(org_id, { trail_id, flow_name, trail_name }, db) },
    attestations,
  }
}

export async function readArtifactContent(
  { params, query, org, now }: ContentRequest<{ flow_name: string; fingerprint: string }>,
  { db, base_url }: Deps,
): Promise<PackageContent> {
  const { flow_name, fingerprint: prefix } = params
  const { org_id } = org
  const { rows, reports, attestations, places } = await db.withTransaction({ org_id }, async tx => {
    const flow_id = await requireFlow(tx, org, flow_name, query.archived)
    const [found, attestationRows] = await Promise.all([
      listArtifactsByFingerprint(tx, org_id, { flow_name, prefix, trail_name: null }),
      listArtifactAttestations(tx, org_id, { flow_id, prefix, attestation_name: null }),
    ])
    const ids = found.map(row => row.artifact_id)
    const fingerprints = [...new Set(found.map(row => row.fingerprint))]
    const [reportRows, where] = await Promise.all([
      listReports(tx, org_id, ids),
      listVisiblePlaces(tx, org, fingerprints),
    ])
    return { rows: found, reports: reportRows, attestations: attestationRows, places: where }
  })
  const [first] = rows
  if (!first || rows.some(row => row.fingerprint !== first.fingerprint)) {
    throw notFound(`Fingerprint '${prefix}' does not match exactly one artifact in flow '${flow_name}'`)
  }
  const site = { base_url, org: org.name }
  return {
    name: `${flow_name}-${first.fingerprint.slice(0, 12)}`,
    title: `Artifact ${first.filename}`,
    asked: { scope: 'artifact', subject: `${flow_name}/${first.fingerprint}`, from: null, to: null },
    facts: [
      ['Organization', org.name],
      ['Fingerprint', first.fingerprint],
      ['State', first.state],
      ['Commit', first.git_commit ?? 'none'],
      ['Generated at', now.toISOString()],
    ],
    records: {
      'artifact.json': rows.map(row => {
        const own = reports.filter(({ artifact_id }) => artifact_id === row.artifact_id)
        return toArtifact(hideCountsFromVisitors(row, org), [], own, site, places)
      }),
    },
    proofs: {
      'artifact.json': proveReports(
        org_id,
        reports.map(({ report_id }) => report_id),
        db,
      ),
    },
    attestations,
  }
}
