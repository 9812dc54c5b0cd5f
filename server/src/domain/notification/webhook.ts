// Builds the body of a webhook, payload version 1.0: every scalar is text or null. A body has at most 20,000 bytes,
// so that no receiver rejects it for its size; it reports what was left out.
import type { Reason } from '../policy/decision.ts'
import {
  buildArtifactAddress,
  buildFlowArtifactAddress,
  buildSnapshotAddress,
  buildTrailAddress,
} from './addresses.ts'
import { describeNotice, listReasons, toLabel } from './describe.ts'
import {
  type EnvironmentNotice,
  type ExpiringKey,
  type FlowNotice,
  MAX_ARTIFACTS,
  MAX_REASONS,
  type Notice,
  type NoticeArtifact,
} from './notice.ts'
import { toWellFormed } from './plain-text.ts'

const PAYLOAD_VERSION = '1.0'
export const MAX_BODY_BYTES = 20_000

/** Maximum text lengths, tried in turn until the body fits. A fingerprint is never cut. */
const TEXT_BYTES = [Number.POSITIVE_INFINITY, 1_000, 300, 100]
/** A truncated address leads somewhere else, so addresses are whole or absent. */
const ADDRESS_BYTES = 1_000
const ADDRESSES: ReadonlySet<string> = new Set(['html_url', 'api_url', 'commit_url', 'build_url'])
/** Space reserved for the counts of omitted entries, which are known last. */
const COUNTS_BYTES = 200

type Value = string | null | readonly Value[] | { readonly [key: string]: Value }
type Fields = Record<string, Value>

/** The lists of a body: entries that do not fit are dropped from the end. */
interface Lists {
  reasons: readonly Value[]
  reasons_total: number
  keys: readonly Value[] | null
}

/** Always JSON of at most MAX_BODY_BYTES bytes. */
export function buildWebhookBody(notice: Notice, base_url: string): string {
  const fields = buildFields(notice, base_url)
  const lists = buildLists(notice)
  let body = ''
  for (const max_bytes of TEXT_BYTES) {
    body = JSON.stringify(fitBody(fields, lists, max_bytes))
    if (Buffer.byteLength(body) <= MAX_BODY_BYTES) break
  }
  return body
}

function buildFields(notice: Notice, base_url: string): Fields {
  const common = {
    version: PAYLOAD_VERSION,
    timestamp: formatSeconds(notice.happened_at),
    org: notice.org,
    environment: null,
    event_type: notice.event_type,
    description: describeNotice(notice),
    snapshot: null,
    artifact: null,
    notification: null,
    actor: null,
  }
  switch (notice.about) {
    case 'environment':
      return { ...common, ...buildEnvironmentFields(notice, base_url) }
    case 'flow':
      return { ...common, ...buildFlowFields(notice, base_url) }
    case 'test':
      return { ...common, notification: buildNotification(notice.notification), actor: notice.asked_by }
    case 'target':
      return { ...common, notification: buildNotification(notice.notification) }
    case 'api_keys':
    case 'log':
    case 'scim_tokens':
      return common
  }
}

function buildEnvironmentFields(notice: EnvironmentNotice, base_url: string): Fields {
  const { environment, event_type, snapshot, artifacts, artifacts_total, actor } = notice
  const isAboutArtifact = !event_type.endsWith('_ENV')
  const [artifact] = artifacts
  const shown = isAboutArtifact ? Math.min(artifacts.length, 1) : Math.min(artifacts.length, MAX_ARTIFACTS)
  return {
    environment,
    snapshot: snapshot && {
      index: String(snapshot.index),
      status: toLabel(snapshot.compliant).toLowerCase(),
      html_url: null,
      api_url: null,
      ...buildSnapshotAddress(notice, base_url),
    },
    artifact: isAboutArtifact && artifact ? buildArtifact(notice.org, artifact, base_url) : null,
    notification: buildNotification(notice.notification),
    actor,
    ...(artifacts_total > shown ? { artifacts_total: String(artifacts_total) } : {}),
  }
}

function buildFlowFields(notice: FlowNotice, base_url: string): Fields {
  const { flow, trail, artifact, attestation, approval, notification, actor } = notice
  const nowhere = { html_url: null, api_url: null }
  return {
    flow,
    trail: trail === null ? null : { name: trail, ...nowhere, ...buildTrailAddress(notice, base_url) },
    artifact: artifact && { ...artifact, ...nowhere, ...buildFlowArtifactAddress(notice, base_url) },
    attestation: attestation && {
      id: attestation.id,
      name: attestation.name,
      type: attestation.type,
      status: toLabel(attestation.compliant).toLowerCase(),
    },
    approval: approval && { number: String(approval.number), state: approval.state },
    notification: buildNotification(notification),
    actor,
  }
}

function buildArtifact(org: string, artifact: NoticeArtifact, base_url: string): Fields {
  const { name, fingerprint, provenance } = artifact
  return {
    name,
    fingerprint,
    provenance: provenance && {
      flow: provenance.flow_name,
      status: provenance.artifact_state.toLowerCase(),
      commit: provenance.git_commit,
      commit_url: provenance.commit_url,
      html_url: null,
      api_url: null,
      ...buildArtifactAddress(org, artifact, provenance, base_url),
      build_url: provenance.build_url,
    },
  }
}

function buildNotification(notification: { number: number; name: string } | null): Value {
  return notification && { number: String(notification.number), name: notification.name }
}

function buildLists(notice: Notice): Lists {
  if (notice.about === 'api_keys') return { reasons: [], reasons_total: 0, keys: notice.keys.map(buildKey) }
  if (notice.about !== 'environment') return { reasons: [], reasons_total: 0, keys: null }
  const of_each = pickArtifacts(notice).map(listReasons)
  return {
    reasons: of_each.flatMap(reasons => reasons.slice(0, MAX_REASONS)).map(buildReason),
    reasons_total: of_each.flat().length,
    keys: null,
  }
}

function pickArtifacts({ event_type, artifacts }: EnvironmentNotice): readonly NoticeArtifact[] {
  return artifacts.slice(0, event_type === 'NON_COMPLIANT_ENV' ? MAX_ARTIFACTS : 1)
}

/** As in the API, except that the version is text, like every other scalar here. */
function buildReason(reason: Reason): Value {
  return { ...reason, policy_version: String(reason.policy_version) }
}

function buildKey(key: ExpiringKey): Value {
  return {
    owner: key.owner,
    kind: key.is_personal ? 'user' : 'service_account',
    description: key.description,
    hint: key.hint,
    expires_at: formatSeconds(key.expires_at),
    last_used_at: key.last_used_at === null ? null : formatSeconds(key.last_used_at),
    notice: key.notice,
  }
}

/** The body with texts of at most `max_bytes` bytes, and as many list entries as fit. */
function fitBody(fields: Fields, lists: Lists, max_bytes: number): Fields {
  const texts = { isCut: false }
  const shortenValue = (value: Value) => shorten(value, max_bytes, texts)
  const head = shortenValue(fields) as Fields
  const [reasons, keys] = [lists.reasons.map(shortenValue), lists.keys?.map(shortenValue)]
  const room = MAX_BODY_BYTES - COUNTS_BYTES - countBytes({ ...head, reasons: [], keys: [] })
  const listed = keys ?? reasons
  // One entry is more useful than none: if it is too large it is cut like other texts.
  const kept = listed.slice(0, Math.max(countFitting(listed, room), Math.min(listed.length, 1)))
  const isTruncated = texts.isCut || kept.length < listed.length
  return {
    ...head,
    reasons: keys ? [] : kept,
    ...(!keys && kept.length < lists.reasons_total ? { reasons_total: String(lists.reasons_total) } : {}),
    ...(keys ? { keys: kept } : {}),
    ...(keys && kept.length < keys.length ? { keys_total: String(keys.length) } : {}),
    ...(isTruncated ? { truncated: 'true' } : {}),
  }
}

function countFitting(items: readonly Value[], room: number): number {
  let left = room
  let fitting = 0
  for (const item of items) {
    left -= countBytes(item) + 1
    if (left < 0) break
    fitting++
  }
  return fitting
}

function shorten(value: Value, max_bytes: number, texts: { isCut: boolean }): Value {
  if (value === null) return null
  if (typeof value === 'string') {
    const text = toWellFormed(value)
    const short = cutToBytes(text, max_bytes)
    texts.isCut ||= short !== text
    return short
  }
  if (isList(value)) return value.map(item => shorten(item, max_bytes, texts))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (!ADDRESSES.has(key)) return [key, shorten(item, max_bytes, texts)]
      const isKept = item === null || max_bytes > ADDRESS_BYTES || countBytes(item) <= ADDRESS_BYTES
      texts.isCut ||= !isKept
      return [key, isKept ? shorten(item, Number.POSITIVE_INFINITY, texts) : null]
    }),
  )
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

/** Counts bytes as written in JSON: a control character takes six. */
function cutToBytes(text: string, max_bytes: number): string {
  if (text.length * 6 + 2 <= max_bytes || countBytes(text) <= max_bytes) return text
  const end = '…'
  let left = max_bytes - countBytes(end)
  let kept = 0
  for (const character of text) {
    left -= countBytes(character) - 2
    if (left < 0) break
    kept += character.length
  }
  return text.slice(0, kept) + end
}

function countBytes(value: Value): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function formatSeconds(epoch_s: number): string {
  return String(Math.floor(epoch_s))
}
