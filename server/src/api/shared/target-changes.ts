// Computes the changes between the stored targets and the requested ones. A target with the same type and address is
// the same target: it keeps its history and its secret.

import { type EgressAllow, parseEgressUrl } from '@waybill/egress'
import type { TargetType } from '../../domain/notification/notice.ts'
import { type FieldErrors, invalid } from '../../lib/errors.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { WEBHOOK_ADDRESS, WEBHOOK_SECRET } from '../../notifications/purposes.ts'
import { openAddress, type TargetInput, toOrigin } from './targets.ts'
import type { ChatContext, KeptTarget, NewTarget, StoredTarget, TargetChanges } from './targets-store.ts'

const OLD_SECRET_GRACE_MS = 24 * 3_600_000
const PAYLOAD_VERSION = '1.0'

/** Omitted fields are undefined. */
export interface ParsedTarget {
  type: TargetType
  client_type: string | null
  webhook: string | undefined
  secret: string | null | undefined
  emails: string[] | undefined
  context: ChatContext | null | undefined
}

/** Rejects addresses that are not allowed, by their text only: it does not resolve them. */
export function readTargets(
  inputs: readonly TargetInput[],
  client_words: ReadonlyMap<string, string>,
  allow: EgressAllow,
): ParsedTarget[] {
  const requested = inputs.map(parseTarget).map(target => ({
    ...target,
    client_type: client_words.get(target.type) ?? null,
  }))
  const errors: FieldErrors = {}
  requested.forEach(({ webhook }, place) => {
    if (webhook !== undefined && parseEgressUrl(webhook, allow) === undefined) {
      errors[`targets[${place}].webhook`] =
        'Webhook address is not allowed: it must be a public https address'
    }
  })
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return requested
}

function parseTarget(input: TargetInput): Omit<ParsedTarget, 'client_type'> {
  if ('emails' in input) {
    const emails = [...new Set(input.emails)]
    return { type: 'EMAIL', webhook: undefined, secret: undefined, emails, context: undefined }
  }
  const { webhook } = input
  const isChat = input.type === 'CHAT' || 'context' in input
  return isChat
    ? { type: 'CHAT', webhook, secret: undefined, emails: undefined, context: (input as ChatInput).context }
    : {
        type: 'WEBHOOK',
        webhook,
        secret: (input as SignedInput).secret,
        emails: undefined,
        context: undefined,
      }
}

type ChatInput = Extract<TargetInput, { context?: unknown }>
type SignedInput = Extract<TargetInput, { secret?: unknown }>

/** A stored target with its address and secret unsealed. */
interface OpenedTarget {
  row: StoredTarget
  webhook: string | undefined
  secret: string | undefined
}

interface Tools {
  sealer: Sealer
  ids: Ids
}

/** Undefined if nothing changes. */
export function computeTargetChanges(
  requested: readonly ParsedTarget[],
  existing: readonly StoredTarget[],
  { sealer, ids }: Tools,
  now: Date,
): TargetChanges | undefined {
  const opened = existing.map(row => openTarget(row, sealer))
  const matches = matchTargets(requested, opened)
  if ('unclear' in matches) {
    throw invalid({
      [`targets[${matches.unclear}].webhook`]:
        'Webhook address is the origin of several existing targets: send their full addresses',
    })
  }
  const added: NewTarget[] = []
  const kept: KeptTarget[] = []
  let isChanged = false
  requested.forEach((target, position) => {
    const stored = matches.found[position]
    if (!stored) added.push(buildNewTarget(target, position, { sealer, ids }))
    else {
      kept.push(buildKeptTarget(target, stored, position, sealer, now))
      isChanged ||= hasChanged(target, stored, position)
    }
  })
  const removed = existing
    .map(row => row.target_id)
    .filter(id => !kept.some(({ target_id }) => target_id === id))
  return isChanged || added.length > 0 || removed.length > 0 ? { added, kept, removed } : undefined
}

/** Whether the requested targets are exactly the stored ones, as in a retry of the request that created them. */
export function hasSameTargets(
  requested: readonly ParsedTarget[],
  existing: readonly StoredTarget[],
  sealer: Sealer,
): boolean {
  const opened = existing.map(row => openTarget(row, sealer))
  const matches = matchTargets(requested, opened)
  if ('unclear' in matches || requested.length !== existing.length) return false
  return requested.every((target, place) => {
    const stored = matches.found[place]
    return stored !== undefined && stored === opened[place] && hasSameContent(target, stored)
  })
}

function openTarget(row: StoredTarget, sealer: Sealer): OpenedTarget {
  const secret = row.secret_sealed === null ? undefined : sealer.open(WEBHOOK_SECRET, row.secret_sealed)
  return { row, webhook: openAddress(row, sealer), secret }
}

type Matches = { found: readonly (OpenedTarget | undefined)[] } | { unclear: number }

/**
 * The stored target of each requested one; undefined for a new one. Full addresses are matched first. Then come
 * requests with only an origin, which is all that non-admins see: they match in order if there are as many as stored
 * targets with that origin; otherwise the match is unclear.
 */
function matchTargets(requested: readonly ParsedTarget[], opened: readonly OpenedTarget[]): Matches {
  const free = new Set(opened)
  const found = requested.map(target => {
    const stored = [...free].find(one => isSameTarget(target, one))
    if (stored) free.delete(stored)
    return stored
  })
  for (const [place, { type, webhook }] of requested.entries()) {
    if (found[place] || webhook === undefined || toOrigin(webhook) !== webhook) continue
    const shown = [...free].filter(one => one.row.type === type && toOrigin(one.webhook) === webhook)
    const alike = requested.flatMap((one, at) =>
      !found[at] && one.type === type && one.webhook === webhook ? [at] : [],
    )
    if (shown.length === 0) continue
    if (shown.length !== alike.length) return { unclear: place }
    for (const [turn, at] of alike.entries()) {
      const stored = shown[turn]
      found[at] = stored
      if (stored) free.delete(stored)
    }
  }
  return { found }
}

function isSameTarget({ type, webhook, emails }: ParsedTarget, stored: OpenedTarget): boolean {
  if (type !== stored.row.type) return false
  return type === 'EMAIL' ? isSameSet(emails ?? [], stored.row.emails ?? []) : webhook === stored.webhook
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every(item => other.includes(item))
}

/** For the same target: whether the requested fields equal the stored ones. */
function hasSameContent({ client_type, secret, context }: ParsedTarget, stored: OpenedTarget): boolean {
  if (client_type !== stored.row.client_type) return false
  const isSameSecret = secret === undefined || (secret ?? undefined) === stored.secret
  return isSameSecret && (context === undefined || isSameContext(context, stored.row.context))
}

function isSameContext(one: ChatContext | null, other: ChatContext | null): boolean {
  if (one === null || other === null) return one === other
  return (
    one.channel_id === other.channel_id &&
    one.channel_name === other.channel_name &&
    one.team_id === other.team_id
  )
}

function hasChanged(requested: ParsedTarget, stored: OpenedTarget, position: number): boolean {
  const { row } = stored
  const isSameOrder = (requested.emails ?? []).every((email, place) => email === row.emails?.[place])
  return (
    row.position !== position ||
    row.switched_off_at !== null ||
    !isSameOrder ||
    !hasSameContent(requested, stored)
  )
}

function buildNewTarget(requested: ParsedTarget, position: number, { sealer, ids }: Tools): NewTarget {
  const { type, client_type, webhook, secret, emails, context } = requested
  return {
    target_id: ids.next(),
    position,
    type,
    client_type,
    webhook_sealed: webhook === undefined ? null : sealer.seal(WEBHOOK_ADDRESS, webhook),
    payload_version: type === 'WEBHOOK' ? PAYLOAD_VERSION : null,
    secret_sealed: secret ? sealer.seal(WEBHOOK_SECRET, secret) : null,
    emails: emails ?? null,
    context: context ?? null,
  }
}

function buildKeptTarget(
  { client_type, secret, emails, context }: ParsedTarget,
  { row, secret: storedSecret }: OpenedTarget,
  position: number,
  sealer: Sealer,
  now: Date,
): KeptTarget {
  const kept = {
    target_id: row.target_id,
    position,
    client_type,
    emails: emails ?? row.emails,
    context: context === undefined ? row.context : context,
  }
  if (secret === undefined || secret === storedSecret) return kept
  if (secret === null) return { ...kept, secret: { secret_sealed: null, keeps_old_until: null } }
  const until = new Date(now.getTime() + OLD_SECRET_GRACE_MS)
  const keeps_old_until = row.secret_sealed === null ? null : until
  return { ...kept, secret: { secret_sealed: sealer.seal(WEBHOOK_SECRET, secret), keeps_old_until } }
}
