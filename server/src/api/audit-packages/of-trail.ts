// GET /trails/{org}/{flow_name}/{trail_name}/audit_package: everything known of a trail, in one file.
import { eventsOfTrail } from '../../events/store.ts'
import { attestationsOfTrail } from '../attestations/store.ts'
import { requireFlow } from '../flows/problems.ts'
import { Binary, operation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { noSuchTrail } from '../trails/problems.ts'
import { evidenceOfTrail, findTrail } from '../trails/store.ts'
import { TrailPath, toWire } from '../trails/wire.ts'
import { auditPackage } from './package.ts'

const MOST_EVENTS = 10_000

export const getTrailPackage = operation(
  {
    id: 'getTrailPackage',
    method: 'GET',
    path: '/trails/{org}/{flow_name}/{trail_name}/audit_package',
    tag: 'Audit packages',
    summary: 'Download the audit package of a trail',
    description: 'Records, attachments, a page to read, and `manifest.sha256` for `sha256sum -c`',
    access: 'reader',
    visitors: true,
    audit: 'none: reads',
    params: TrailPath,
    query: ArchivedQuery,
    returns: Binary,
    download: 'application/gzip',
    fails: [400, 403, 404],
  },
  async ({ params, query, org, now }, { db, base_url, evidence }) => {
    const { flow_name, trail_name } = params
    const { org_id } = org
    const found = await db.inTransaction({ org_id }, async tx => {
      const named = { flow_name, trail_name }
      const flow_id = await requireFlow(tx, org, flow_name, query.archived)
      const [trail, events, slots, attestations] = await Promise.all([
        findTrail(tx, org_id, named),
        eventsOfTrail(tx, org_id, { ...named, with_environments: !org.is_visitor }, MOST_EVENTS),
        evidenceOfTrail(tx, org_id, named),
        attestationsOfTrail(tx, org_id, { flow_id, trail_name, attestation_name: null }),
      ])
      if (!trail) throw noSuchTrail(trail_name, flow_name, org.name)
      return { trail: toWire(trail, slots, events, org_id, { base_url, org: org.name }), attestations }
    })
    const { trail, attestations } = found
    const content = {
      name: `${flow_name}-${trail_name}`,
      title: `Trail ${trail_name} of flow ${flow_name}`,
      facts: [
        ['Organization', org.name],
        ['State', trail.compliance_state],
        ['Commit', trail.git_commit_info?.sha1 ?? 'none'],
        ['Page', { text: trail.html_url, href: trail.html_url }],
        ['Made at', now.toISOString()],
      ] as const,
      records: { 'trail.json': trail },
      attestations,
    }
    return auditPackage(
      { ...content, facts: [...content.facts] },
      { base_url, org: org.name, org_id },
      evidence,
      now,
    )
  },
)
