// POST /organizations: creates a shared organization with the caller as its admin.

import type { Db } from '../../db/database.ts'
import { DEFAULT_FEATURES } from '../../domain/features.ts'
import { isReservedOrgName } from '../../domain/names.ts'
import { findOrgCreationProblem, findOrgLimitProblem, type OrgLimit } from '../../domain/org-creation.ts'
import { NEW_ORG_SETTINGS } from '../../domain/org-settings.ts'
import { recordEvent } from '../../events/record.ts'
import { type AppError, conflict, forbidden, invalid } from '../../lib/errors.ts'
import { Answer, type Caller, type Deps, defineOperation } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey, type IdempotencyClaim } from '../shared/idempotency-store.ts'
import { changeMembership } from '../shared/membership.ts'
import { findOrgDetails } from '../shared/org-details-store.ts'
import { findSponsor } from '../shared/sponsor.ts'
import { countOpenedOrgs, saveOpener } from '../shared/sponsor-store.ts'
import { lockUser } from '../users/store.ts'
import { findOwnOrg, insertOrg, isAdminOfShared } from './store.ts'
import { Org, OrgPost, toWire } from './wire.ts'

export const createOrg = defineOperation(
  {
    id: 'createOrganization',
    method: 'POST',
    path: '/organizations',
    tag: 'Organizations',
    summary: 'Create a shared organization',
    description:
      'For people only. The caller becomes its admin. The operator decides who may create organizations: anyone, admins of ' +
      'a shared organization, or nobody; and how many one person may open.',
    access: 'user',
    recheck_caller: true,
    audit: ['org_created', 'member_added'],
    body: OrgPost,
    returns: Org,
    creates: true,
    fails: [400, 403, 409, 422],
    example: { body: { name: 'new-org', description: 'What the platform team ships' } },
  },
  async (request, deps) => {
    const { body, caller } = request
    if (isReservedOrgName(body.name)) {
      throw invalid({ name: `The name is reserved [input: ${body.name}]` })
    }
    const idempotency = buildIdempotencyClaim({ ...request, params: {} })
    const created = await insertWithAdmin(request, deps, idempotency)
    deps.forgetCaller(caller.id)
    return new Answer(
      201,
      created ?? (await answerRetry(body.name, caller, deps, { idempotency, now: request.now })),
    )
  },
)

interface CreateOrgRequest {
  body: { name: string; description?: string }
  caller: Caller
  now: Date
  request_id: string
}

/** Undefined if the name is taken. */
async function insertWithAdmin(
  request: CreateOrgRequest,
  { db, ids, org_creation, org_limit, sso }: Deps,
  idempotency: IdempotencyClaim,
) {
  const { body, caller, now } = request
  const org_id = ids.next()
  const { name, description = '' } = body
  const sponsor = await db.withTransaction({ signin: true }, tx =>
    findSponsor(tx, caller.id, sso.vouching_domains),
  )
  return db.withTransaction({ org_id, user_id: caller.id }, async tx => {
    // Serializes the organizations that one person opens, so that they are counted correctly.
    await lockUser(tx, caller.id)
    const isAdmin = org_creation === 'admins' && (await isAdminOfShared(tx, caller.id))
    const refusal = findOrgCreationProblem(org_creation, isAdmin)
    if (refusal !== undefined) throw forbidden(refusal)
    const features = { ...DEFAULT_FEATURES }
    const org = { org_id, name, kind: 'shared' as const, description, features, sponsor, now }
    if (!(await insertOrg(tx, org))) return undefined
    await checkLimit(tx, org_id, caller, org_limit)
    // The idempotency key is stored in the new org, because there was no org before.
    await claimKey(tx, org_id, idempotency, now)
    const context = { ...request, org: { org_id } }
    const after = { kind: org.kind, description, features: org.features }
    await recordEvent(tx, context, ids, { kind: 'org_created', data: { org: name, before: null, after } })
    const member = { user_id: caller.id, user_name: caller.name, role: 'admin', source: 'app' } as const
    await changeMembership(tx, context, ids, member)
    return toWire({ ...org, settings: NEW_ORG_SETTINGS, created_at: now })
  })
}

/** Counts the new one: a retry of the last that the limit allows finds its name taken, and never comes here. */
async function checkLimit(tx: Db, org_id: string, caller: Caller, limit: OrgLimit): Promise<void> {
  await saveOpener(tx, org_id, caller.id)
  const opened = await countOpenedOrgs(tx, caller.id)
  const problem = findOrgLimitProblem(limit, { name: caller.name, opened })
  if (problem !== undefined) throw forbidden(problem)
}

/** Returns the org to a retry with the same idempotency key. Throws a 409 otherwise. */
async function answerRetry(
  name: string,
  caller: Caller,
  { db }: Deps,
  { idempotency, now }: { idempotency: IdempotencyClaim; now: Date },
) {
  const org_id = idempotency.idempotency_key === null ? undefined : await findOwnOrg(db, caller.id, name)
  if (org_id === undefined) throw nameTaken(name)
  return db.withTransaction({ org_id }, async tx => {
    const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
    // Throwing rolls back the key that was just claimed.
    if (answered_sha256 === null) throw nameTaken(name)
    refuseOtherContent(answered_sha256, idempotency.request_sha256)
    const org = await findOrgDetails(tx, org_id)
    if (!org) throw nameTaken(name)
    return toWire(org)
  })
}

function nameTaken(name: string): AppError {
  return conflict(`The name '${name}' is taken`)
}
