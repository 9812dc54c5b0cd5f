// POST /mail-domains/{org}/{domain}/check: looks up the DNS record now.
import type { Database, Db } from '../../db/database.ts'
import {
  buildRecordName,
  type DomainProblem,
  findDomainProblem,
  isProofExpired,
  normalizeDomain,
} from '../../domain/mail-domain.ts'
import type { EventKind } from '../../events/kinds.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import type { Ids } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey, type IdempotencyClaim } from '../shared/idempotency-store.ts'
import { noSuchDomain } from './problems.ts'
import * as store from './store.ts'
import { MailDomain, MailDomainPath, toWire } from './wire.ts'

export const checkMailDomain = defineOperation(
  {
    id: 'checkMailDomain',
    method: 'POST',
    path: '/mail-domains/{org}/{domain}/check',
    tag: 'Mail domains',
    summary: 'Check a mail domain',
    description:
      'Looks up the DNS record. A proved domain is checked again every day. It loses its proof if the record is ' +
      'missing for seven days, or if another organization proves the domain while the record is missing.',
    access: 'admin',
    recheck_caller: true,
    audit: ['mail_domain_checked', 'mail_domain_proved', 'mail_domain_lost'],
    params: MailDomainPath,
    returns: MailDomain,
    fails: [400, 403, 404, 409, 422],
    example: { params: { domain: 'example.com' } },
  },
  async (request, { db, ids, readTxt }) => {
    const domain = normalizeDomain(request.params.domain)
    const row = await checkDomain({ db, ids, readTxt }, request, domain, buildIdempotencyClaim(request))
    if (!row) throw noSuchDomain(domain)
    return toWire(row)
  },
)

export interface CheckDeps {
  db: Database
  ids: Ids
  readTxt(name: string): Promise<string[] | undefined>
}

/** Returns undefined if the organization does not claim the domain. `idempotency` is null without a request. */
export async function checkDomain(
  { db, ids, readTxt }: CheckDeps,
  context: RequestContext,
  domain: string,
  idempotency: IdempotencyClaim | null,
): Promise<store.MailDomainRow | undefined> {
  const { org_id } = context.org
  // Outside the transaction, because a name server may be slow.
  const records = await readTxt(buildRecordName(domain))
  const holder = await db.withTransaction({ signin: true }, tx => store.findHolder(tx, org_id, domain))
  const findProblem = ({ challenge }: store.MailDomainRow, holder_challenge: string | undefined) =>
    findDomainProblem({ challenge, holder_challenge, records })
  const row = await db.withTransaction({ org_id }, async tx => {
    const claim = await store.lockMailDomain(tx, org_id, domain)
    if (!claim) return undefined
    const problem = findProblem(claim, holder?.challenge)
    return problem === null && holder ? claim : saveOnce(tx, ids, context, idempotency, { claim, problem })
  })
  if (!holder || !row || findProblem(row, holder.challenge) !== null) return row
  // The record of the other organization is gone: end its proof first, then record the new one, each with an event.
  await endProof({ db, ids }, { ...context, org: { org_id: holder.org_id } }, domain)
  return db.withTransaction({ org_id }, async tx => {
    const claim = await store.lockMailDomain(tx, org_id, domain)
    return claim && saveOnce(tx, ids, context, idempotency, { claim, problem: null })
  })
}

async function endProof({ db, ids }: Pick<CheckDeps, 'db' | 'ids'>, context: RequestContext, domain: string) {
  const { org_id } = context.org
  const systemContext = { ...context, caller: { name: 'waybill' } }
  await db.withTransaction({ org_id }, async tx => {
    const claim = await store.lockMailDomain(tx, org_id, domain)
    if (claim) await saveResult(tx, ids, systemContext, { ...claim, confirmed_at: null }, 'other_value')
  })
}

/** A retry with the same `Idempotency-Key` stores nothing and returns the current state. */
async function saveOnce(
  tx: Db,
  ids: Ids,
  context: RequestContext,
  idempotency: IdempotencyClaim | null,
  { claim, problem }: { claim: store.MailDomainRow; problem: DomainProblem | null },
): Promise<store.MailDomainRow> {
  const answered_sha256 = idempotency && (await claimKey(tx, context.org.org_id, idempotency, context.now))
  if (idempotency) refuseOtherContent(answered_sha256, idempotency.request_sha256)
  return answered_sha256 === null ? saveResult(tx, ids, context, claim, problem) : claim
}

/** Stores the result of a check and records an event. */
async function saveResult(
  tx: Db,
  ids: Ids,
  context: RequestContext,
  before: store.MailDomainRow,
  problem: DomainProblem | null,
): Promise<store.MailDomainRow> {
  const { domain } = before
  const after = { ...before, ...computeResult(before, problem, context.now) }
  await store.saveCheck(tx, context.org.org_id, { ...after, now: context.now })
  const wasProved = before.proved_at !== null
  const isProved = after.proved_at !== null
  await recordEvent(tx, context, ids, { kind: toEventKind(wasProved, isProved), data: { domain, problem } })
  return after
}

function toEventKind(wasProved: boolean, isProved: boolean): EventKind {
  if (wasProved === isProved) return 'mail_domain_checked'
  return isProved ? 'mail_domain_proved' : 'mail_domain_lost'
}

function computeResult(
  { proved_at, confirmed_at }: store.MailDomainRow,
  problem: string | null,
  now: Date,
): Pick<store.MailDomainRow, 'checked_at' | 'problem' | 'confirmed_at' | 'proved_at'> {
  if (problem === null) return { checked_at: now, problem, confirmed_at: now, proved_at: proved_at ?? now }
  const isExpired = confirmed_at === null || isProofExpired(confirmed_at, now)
  return { checked_at: now, problem, confirmed_at, proved_at: isExpired ? null : proved_at }
}
