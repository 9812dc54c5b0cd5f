// The body of a webhook, payload version 1.0: every scalar is text or null. It says at most 20,000 bytes, so that no
// receiver refuses it for its size; what had to go is told.
import type { Reason } from '../policy/decision.ts'
import { artifactAddress, builtAddress, snapshotAddress, trailAddress } from './addresses.ts'
import { description, labelOf, reasonsOf } from './describe.ts'
import {
  type EndingKey,
  type EnvironmentNotice,
  type FlowNotice,
  MOST_ARTIFACTS,
  MOST_REASONS,
  type Notice,
  type NoticeArtifact,
} from './notice.ts'
import { wellFormed } from './plain-text.ts'

export const PAYLOAD_VERSION = '1.0'
export const MOST_BODY_BYTES = 20_000

/** Tried one after the other for the longest text of a body that is too large. A fingerprint is never cut. */
const TEXT_BYTES = [Number.POSITIVE_INFINITY, 1_000, 300, 100]
/** Half of an address leads elsewhere, so that addresses are whole or absent. */
const ADDRESS_BYTES = 1_000
const ADDRESSES: ReadonlySet<string> = new Set(['html_url', 'api_url', 'commit_url', 'build_url'])
/** Room for the counts of what was left out, which are known last. */
const COUNTS_BYTES = 200

type Value = string | null | readonly Value[] | { readonly [key: string]: Value }
type Fields = Record<string, Value>

/** The lists of a body: what does not fit is dropped from their end. */
interface Lists {
  reasons: readonly Value[]
  reasons_total: number
  keys: readonly Value[] | null
}

/** Always JSON, and never more than MOST_BODY_BYTES of it. */
export function webhookBody(notice: Notice, base_url: string): string {
  const fields = fieldsOf(notice, base_url)
  const lists = listsOf(notice)
  let body = ''
  for (const most_bytes of TEXT_BYTES) {
    body = JSON.stringify(fitted(fields, lists, most_bytes))
    if (Buffer.byteLength(body) <= MOST_BODY_BYTES) break
  }
  return body
}

function fieldsOf(notice: Notice, base_url: string): Fields {
  const common = {
    version: PAYLOAD_VERSION,
    timestamp: secondsOf(notice.happened_at),
    org: notice.org,
    environment: null,
    event_type: notice.event_type,
    description: description(notice),
    snapshot: null,
    artifact: null,
    notification: null,
    actor: null,
  }
  switch (notice.about) {
    case 'environment':
      return { ...common, ...ofEnvironment(notice, base_url) }
    case 'flow':
      return { ...common, ...ofFlow(notice, base_url) }
    case 'test':
      return { ...common, notification: notificationOf(notice.notification), actor: notice.asked_by }
    case 'target':
      return { ...common, notification: notificationOf(notice.notification) }
    case 'api_keys':
      return common
  }
}

function ofEnvironment(notice: EnvironmentNotice, base_url: string): Fields {
  const { environment, event_type, snapshot, artifacts, artifacts_total, actor } = notice
  const isAboutArtifact = !event_type.endsWith('_ENV')
  const [artifact] = artifacts
  const shown = isAboutArtifact ? Math.min(artifacts.length, 1) : Math.min(artifacts.length, MOST_ARTIFACTS)
  return {
    environment,
    snapshot: snapshot && {
      index: String(snapshot.index),
      status: labelOf(snapshot.compliant).toLowerCase(),
      html_url: null,
      api_url: null,
      ...snapshotAddress(notice, base_url),
    },
    artifact: isAboutArtifact && artifact ? artifactOf(notice.org, artifact, base_url) : null,
    notification: notificationOf(notice.notification),
    actor,
    ...(artifacts_total > shown ? { artifacts_total: String(artifacts_total) } : {}),
  }
}

function ofFlow(notice: FlowNotice, base_url: string): Fields {
  const { flow, trail, artifact, attestation, approval, notification, actor } = notice
  const nowhere = { html_url: null, api_url: null }
  return {
    flow,
    trail: trail === null ? null : { name: trail, ...nowhere, ...trailAddress(notice, base_url) },
    artifact: artifact && { ...artifact, ...nowhere, ...builtAddress(notice, base_url) },
    attestation: attestation && {
      id: attestation.id,
      name: attestation.name,
      type: attestation.type,
      status: labelOf(attestation.compliant).toLowerCase(),
    },
    approval: approval && { number: String(approval.number), state: approval.state },
    notification: notificationOf(notification),
    actor,
  }
}

function artifactOf(org: string, artifact: NoticeArtifact, base_url: string): Fields {
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
      ...artifactAddress(org, artifact, provenance, base_url),
      build_url: provenance.build_url,
    },
  }
}

function notificationOf(notification: { number: number; name: string } | null): Value {
  return notification && { number: String(notification.number), name: notification.name }
}

function listsOf(notice: Notice): Lists {
  if (notice.about === 'api_keys') return { reasons: [], reasons_total: 0, keys: notice.keys.map(keyOf) }
  if (notice.about !== 'environment') return { reasons: [], reasons_total: 0, keys: null }
  const of_each = toldArtifacts(notice).map(reasonsOf)
  return {
    reasons: of_each.flatMap(reasons => reasons.slice(0, MOST_REASONS)).map(reasonOf),
    reasons_total: of_each.flat().length,
    keys: null,
  }
}

function toldArtifacts({ event_type, artifacts }: EnvironmentNotice): readonly NoticeArtifact[] {
  return artifacts.slice(0, event_type === 'NON_COMPLIANT_ENV' ? MOST_ARTIFACTS : 1)
}

/** As the API shows it, but for the number, which is text like everything else here. */
function reasonOf(reason: Reason): Value {
  return { ...reason, policy_version: String(reason.policy_version) }
}

function keyOf(key: EndingKey): Value {
  return {
    owner: key.owner,
    kind: key.is_personal ? 'user' : 'service_account',
    description: key.description,
    hint: key.hint,
    expires_at: secondsOf(key.expires_at),
    last_used_at: key.last_used_at === null ? null : secondsOf(key.last_used_at),
    notice: key.notice,
  }
}

/** The body with texts of at most so many bytes, and as much of the lists as there is room for. */
function fitted(fields: Fields, lists: Lists, most_bytes: number): Fields {
  const texts = { isCut: false }
  const short = (value: Value) => shortened(value, most_bytes, texts)
  const head = short(fields) as Fields
  const [reasons, keys] = [lists.reasons.map(short), lists.keys?.map(short)]
  const room = MOST_BODY_BYTES - COUNTS_BYTES - bytesOf({ ...head, reasons: [], keys: [] })
  const listed = keys ?? reasons
  // The first one says more than none at all: where it is too large it is cut with the other texts.
  const told = listed.slice(0, Math.max(howManyFit(listed, room), Math.min(listed.length, 1)))
  const isTruncated = texts.isCut || told.length < listed.length
  return {
    ...head,
    reasons: keys ? [] : told,
    ...(!keys && told.length < lists.reasons_total ? { reasons_total: String(lists.reasons_total) } : {}),
    ...(keys ? { keys: told } : {}),
    ...(keys && told.length < keys.length ? { keys_total: String(keys.length) } : {}),
    ...(isTruncated ? { truncated: 'true' } : {}),
  }
}

function howManyFit(items: readonly Value[], room: number): number {
  let left = room
  let fitting = 0
  for (const item of items) {
    left -= bytesOf(item) + 1
    if (left < 0) break
    fitting++
  }
  return fitting
}

function shortened(value: Value, most_bytes: number, texts: { isCut: boolean }): Value {
  if (value === null) return null
  if (typeof value === 'string') {
    const text = wellFormed(value)
    const short = cutToBytes(text, most_bytes)
    texts.isCut ||= short !== text
    return short
  }
  if (isList(value)) return value.map(item => shortened(item, most_bytes, texts))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (!ADDRESSES.has(key)) return [key, shortened(item, most_bytes, texts)]
      const isKept = item === null || most_bytes > ADDRESS_BYTES || bytesOf(item) <= ADDRESS_BYTES
      texts.isCut ||= !isKept
      return [key, isKept ? shortened(item, Number.POSITIVE_INFINITY, texts) : null]
    }),
  )
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

/** Counted as they are written in JSON: a control character takes six bytes there. */
function cutToBytes(text: string, most_bytes: number): string {
  if (text.length * 6 + 2 <= most_bytes || bytesOf(text) <= most_bytes) return text
  const end = '…'
  let left = most_bytes - bytesOf(end)
  let kept = 0
  for (const character of text) {
    left -= bytesOf(character) - 2
    if (left < 0) break
    kept += character.length
  }
  return text.slice(0, kept) + end
}

function bytesOf(value: Value): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function secondsOf(epoch_s: number): string {
  return String(Math.floor(epoch_s))
}
