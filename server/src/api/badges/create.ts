// POST /badge-tokens/{org}: creates a badge. There are none until an admin creates one.
import type { Db } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import { conflict, invalid } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { requireEnvironment } from '../environments/problems.ts'
import { requireActiveFlow } from '../flows/problems.ts'
import { findFlow } from '../flows/store.ts'
import { secretWasShown } from '../keys/problems.ts'
import { Answer, type CallerOrg, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { lockMembers } from '../shared/membership-store.ts'
import { nameEventSubject } from './event-subject.ts'
import { formatMarkdown } from './picture.ts'
import * as store from './store.ts'
import { BadgePost, CreatedBadge, chooseLabel, toWire } from './wire.ts'

const MAX_BADGES = 200

export const createBadge = defineOperation(
  {
    id: 'createBadge',
    method: 'POST',
    path: '/badge-tokens/{org}',
    tag: 'Badges',
    summary: 'Create a badge',
    description:
      'A picture with the state of one environment, of the newest trail of one flow, or of one artifact in one ' +
      'environment, for pages outside of the service. Anyone with its URL can load it, until it is revoked. The URL ' +
      'is only in this response: a retry with the same `Idempotency-Key` creates nothing and gets 409. An ' +
      `organization can have at most ${MAX_BADGES} badges.`,
    access: 'admin',
    recheck_caller: true,
    audit: 'badge_created',
    params: OrgPath,
    body: BadgePost,
    returns: CreatedBadge,
    creates: true,
    fails: [400, 403, 404, 409, 422],
    example: { body: { environment_name: 'production' } },
  },
  (request, { db, ids, secrets, base_url }) => {
    const { body, org, caller, now } = request
    checkSubject(body)
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      // Locked, so concurrent requests cannot exceed the limit.
      await lockMembers(tx, org.org_id)
      const idempotency = buildIdempotencyClaim(request)
      const answered_sha256 = await claimKey(tx, org.org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 !== null) throw secretWasShown()
      const subject = await findSubject(tx, org, body)
      if ((await store.countActiveBadges(tx, org.org_id)) >= MAX_BADGES) {
        throw conflict(`The organization already has ${MAX_BADGES} badges, the maximum; revoke one first`)
      }
      const { key: token, secret_hash, hint } = secrets.createToken('badge')
      const { environment_name, flow_name, ...about } = subject
      const row = { badge_id: ids.next(), hint, ...about, created_by: caller.name }
      await store.insertBadge(tx, org.org_id, { ...row, secret_hash, now })
      const { fingerprint, label } = about
      const data = { badge_id: toWireId(row.badge_id), hint, environment_name, flow_name, fingerprint, label }
      await recordEvent(tx, request, ids, { kind: 'badge_created', ...nameEventSubject(about), data })
      const url = `${base_url}/api/v2/badges/${token}.svg`
      const page = environment_name === null ? ['flows', flow_name ?? ''] : ['environments', environment_name]
      const html_url = [base_url, ...[org.name, ...page].map(encodeURIComponent)].join('/')
      const markdown = formatMarkdown(chooseLabel({ ...subject }), { url, html_url })
      return new Answer(201, {
        ...toWire({ ...row, environment_name, flow_name, created_at: now }),
        token,
        url,
        html_url,
        markdown,
      })
    })
  },
)

interface Asked {
  environment_name?: string
  flow_name?: string
  fingerprint?: string
  label?: string
}

/** One environment, one flow, or one artifact in one environment. */
function checkSubject({ environment_name, flow_name, fingerprint }: Asked): void {
  if ((environment_name === undefined) === (flow_name === undefined)) {
    const problem = 'Name either an environment or a flow'
    throw invalid({ environment_name: problem, flow_name: problem })
  }
  if (fingerprint !== undefined && environment_name === undefined)
    throw invalid({ fingerprint: 'An artifact needs the environment in which it is allowed or not' })
}

async function findSubject(
  tx: Db,
  org: CallerOrg,
  { environment_name, flow_name, fingerprint, label }: Asked,
) {
  const chosen = { fingerprint: fingerprint ?? null, label: label ?? null }
  if (environment_name !== undefined) {
    const { environment_id, name } = await requireEnvironment(tx, org, environment_name)
    return { ...chosen, environment_id, environment_name: name, flow_id: null, flow_name: null }
  }
  const asked = flow_name ?? ''
  const { flow_id, name } = requireActiveFlow(await findFlow(tx, org.org_id, asked), org.name, asked)
  return { ...chosen, environment_id: null, environment_name: null, flow_id, flow_name: name }
}
