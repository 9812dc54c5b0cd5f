// GET /attention/{org}: everything that somebody should look at soon, in one response.
import { EXPIRING_DECISION_DAYS } from '../../domain/control/expiring.ts'
import { listAttestations } from '../attestations/store.ts'
import { toWire as toWireAttestation } from '../attestations/wire.ts'
import { listOpenDecisions } from '../decisions/store.ts'
import { toWire as toWireDecision } from '../decisions/wire.ts'
import { listNotifications } from '../notifications/store.ts'
import { type CallerOrg, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { listExpiringDecisions } from './expiring-decisions-store.ts'
import { listExpiringKeys } from './store.ts'
import {
  Attention,
  MAX_EXPIRING_EXAMINED,
  MAX_EXPIRING_SHOWN,
  MAX_UNBOUND,
  SOON_DAYS,
  toFailingTargets,
  toWireExpiring,
  toWireKey,
} from './wire.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The roles that may list the keys of service accounts. */
const SEE_KEYS: readonly CallerOrg['role'][] = ['snapshotter', 'auditor', 'member', 'admin']

const UNBOUND = {
  archived: false,
  flow_id: null,
  name: null,
  flows: null,
  types: null,
  is_compliant: null,
  is_waiting: true,
  from: null,
  to: null,
  after: null,
}

export const getAttention = defineOperation(
  {
    id: 'getAttention',
    method: 'GET',
    path: '/attention/{org}',
    tag: 'Organizations',
    summary: 'Get what needs attention soon',
    description:
      'Waiting decisions, attestations without their artifact, failing targets of notifications, and keys and decisions that expire soon.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    returns: Attention,
    fails: [403],
  },
  async ({ org, now }, { db, base_url }) => {
    const { org_id, name, role } = org
    const until = new Date(now.getTime() + SOON_DAYS * DAY_MS)
    const [decisions, unbound, environments, flows, keys, expiring] = await Promise.all([
      listOpenDecisions(db, org_id, now),
      db.withTransaction({ org_id }, tx => listAttestations(tx, org_id, UNBOUND, MAX_UNBOUND)),
      listNotifications(db, org_id, 'env'),
      listNotifications(db, org_id, 'flow'),
      SEE_KEYS.includes(role) ? listExpiringKeys(db, org_id, { now, until }) : null,
      listExpiringDecisions(db, org_id, {
        now,
        until: new Date(now.getTime() + EXPIRING_DECISION_DAYS * DAY_MS),
        limit: MAX_EXPIRING_EXAMINED,
        shown: MAX_EXPIRING_SHOWN,
      }),
    ])
    return {
      decisions: decisions.map(toWireDecision),
      unbound_attestations: unbound.map(row => toWireAttestation(row, { base_url, org: name, org_id })),
      notification_count: environments.length + flows.length,
      failing_targets: [
        ...toFailingTargets('environments', environments),
        ...toFailingTargets('flows', flows),
      ],
      expiring_keys: keys?.map(toWireKey) ?? null,
      expiring_decisions: expiring.map(toWireExpiring),
      expiring_decision_count: expiring[0]?.total ?? 0,
    }
  },
)
