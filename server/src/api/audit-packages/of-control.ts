// GET /controls/{org}/{identifier}/audit_package: a control, its changes, and the decisions on it in a period.
import { listDecisions } from '../controls/decisions/store.ts'
import { noSuchControl } from '../controls/problems.ts'
import { findControl } from '../controls/store.ts'
import { ControlPath, toWire } from '../controls/wire.ts'
import { Binary, defineOperation } from '../operation.ts'
import { readEpochBounds } from '../shared/epoch-times.ts'
import { describePeriod, toIssuedPeriod } from '../shared/issued-period.ts'
import { proveControl } from './prove.ts'
import { MAX_PACKAGE_EVENTS, PackagePeriod, readEvents, tooManyEvents } from './read-events.ts'
import { buildSealedPackage } from './sealed-package.ts'

const BEFORE_EVERY_ID = '00000000-0000-0000-0000-000000000000'
const AFTER_EVERY_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const getControlPackage = defineOperation(
  {
    id: 'getControlPackage',
    method: 'GET',
    path: '/controls/{org}/{identifier}/audit_package',
    tag: 'Audit packages',
    summary: 'Download the audit package of a control',
    description: `The control, its changes and the decisions on it in a period with their files, each with its proof in the log, for \`waybill verify\`. At most ${MAX_PACKAGE_EVENTS.toLocaleString('en')} events: more are refused.`,
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: ControlPath,
    query: PackagePeriod,
    returns: Binary,
    download: 'application/gzip',
    fails: [400, 403, 404, 503],
    example: { params: { identifier: 'control-to-read' } },
  },
  async (request, deps) => {
    const { params, query, org, now } = request
    const { identifier } = params
    const { db, base_url } = deps
    const control = await findControl(db, org.org_id, identifier)
    if (!control) throw noSuchControl(identifier, org.name)
    const events = await readEvents(db, org, { control: identifier, ...query })
    const filter = {
      identifier,
      is_compliant: null,
      ...readEpochBounds(query, 'from_timestamp', 'to_timestamp'),
      from_id: BEFORE_EVERY_ID,
      to_id: AFTER_EVERY_ID,
      flow_names: null,
      flow_ids: null,
    }
    const order = { direction: 'desc', limit: MAX_PACKAGE_EVENTS + 1, offset: 0 } as const
    const decisions = await listDecisions(db, org.org_id, filter, order)
    if (events.length + decisions.length > MAX_PACKAGE_EVENTS) throw tooManyEvents()
    const period = describePeriod(query)
    return buildSealedPackage(
      {
        name: `${org.name}-${identifier}`,
        title: `Control ${identifier}, ${period}`,
        asked: { scope: 'control', subject: identifier, ...toIssuedPeriod(query) },
        facts: [
          ['Organization', org.name],
          ['Control', `${identifier}: ${control.name}`],
          ['Period', period],
          ['Decisions', String(decisions.length)],
          [
            'Expired decisions',
            String(decisions.filter(({ expires_at }) => expires_at && expires_at <= now).length),
          ],
          ['Generated at', now.toISOString()],
        ],
        records: { 'control.json': toWire(control, { base_url, org: org.name }) },
        proofs: { 'control.json': proveControl(org.org_id, control.control_id, db) },
        events,
        attestation_ids: decisions.map(({ attestation_id }) => attestation_id),
      },
      request,
      deps,
    )
  },
)
