// The wording of notices: a headline that fits into a mail subject, a sentence with more detail, and sentences about
// each reason and key. Webhooks, chat messages and mails share it, so that they all say the same.
import type { Reason } from '../policy/decision.ts'
import type {
  EnvironmentNotice,
  ExpiringKey,
  FlowNotice,
  KeyExpiryNotice,
  LogForkNotice,
  Notice,
  NoticeArtifact,
  SwitchedOffNotice,
  TestNotice,
  TokensStoppedNotice,
} from './notice.ts'
import { formatName, toOneLine } from './plain-text.ts'

const SECONDS_PER_DAY = 86_400
const UNITS: readonly [number, string][] = [
  [SECONDS_PER_DAY, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]

/** The only reason why the compliance of an artifact is unknown. */
const NO_POLICY = 'no policy applies'

export type Label = 'COMPLIANT' | 'NON-COMPLIANT' | 'UNKNOWN'

export function toLabel(compliant: boolean | null): Label {
  if (compliant === null) return 'UNKNOWN'
  return compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}

/** The event without its details. One line. */
export function formatHeadline(notice: Notice): string {
  switch (notice.about) {
    case 'environment':
      return describeEnvironmentEvent(notice)
    case 'flow':
      return describeFlowEvent(notice)
    case 'api_keys':
      return formatKeysHeadline(notice)
    case 'test':
      return `Test notification from ${formatName(notice.org)}`
    case 'target':
      return `Notifications of ${formatName(notice.org)} to ${formatName(notice.target.shown)} are switched off`
    case 'log':
      return `Alarm: a witness has seen another log of ${formatName(notice.org)}`
    case 'scim_tokens':
      return `SCIM provisioning of ${formatName(notice.org)} needs an admin: ${formatCount(notice.tokens.length, 'token')} stopped working`
  }
}

/** The event with its outcome in one line, for readers who read nothing else. */
export function describeNotice(notice: Notice): string {
  switch (notice.about) {
    case 'environment':
      return `${describeEnvironmentEvent(notice)}${describeOutcome(notice)}${describeSnapshot(notice)}`
    case 'flow':
      return `${describeFlowEvent(notice)}${describeTrail(notice)}`
    case 'api_keys':
      return describeKeys(notice)
    case 'test':
      return describeTest(notice)
    case 'target':
      return describeSwitchedOff(notice)
    case 'log':
      return describeFork(notice)
    case 'scim_tokens':
      return describeStopped(notice)
  }
}

/** How many entries the list omits; null if it is complete. */
export function describeRest(total: number, shown: number, noun: string): string | null {
  const rest = total - shown
  return rest > 0 ? `and ${rest} more ${rest === 1 ? noun : `${noun}s`}` : null
}

/** The reason without the artifact's name, because it is listed below that name. */
export function describeReason({ description: text, artifact_name }: Reason): string {
  const beginning = `Artifact '${artifact_name}' `
  const rest = text.startsWith(beginning) ? text.slice(beginning.length) : text
  return toOneLine(rest.charAt(0).toUpperCase() + rest.slice(1))
}

/** Reasons to show: an artifact that has exited needs no remedy. */
export function listReasons({ change, compliant, reasons }: NoticeArtifact): readonly Reason[] {
  return compliant === false && change !== 'exited' ? reasons : []
}

/** The source of the message, the actor and the time. One line. */
export function formatFootnote(notice: Notice): string {
  const { number, name } = ('notification' in notice && notice.notification) || { number: null, name: '' }
  const source = number === null ? 'Notice' : `Notification ${number} “${formatName(name)}”`
  const actor = 'actor' in notice ? notice.actor : notice.about === 'test' ? notice.asked_by : ''
  const by = actor === '' ? '' : ` · by ${formatName(actor)}`
  return `${source} of ${formatName(notice.org)}${by} · ${formatDateTime(notice.happened_at)}`
}

/** What happened to one artifact in a list of several: "started, NON-COMPLIANT". */
export function describeArtifact({ change, compliant, instances }: NoticeArtifact): string {
  const label = compliant === null ? `${toLabel(null)} (${NO_POLICY})` : toLabel(compliant)
  if (change === 'exited') return 'exited'
  if (change === 'allow-listed') return `allow-listed, ${label}`
  if (change.startsWith('started')) return `started${formatInstances(instances?.now)}, ${label}`
  if (change === 'scaled' && instances) {
    return `scaled from ${instances.was} to ${formatCount(instances.now, 'instance')}, ${label}`
  }
  if (change === 'updated-provenance') return `gained provenance, ${label}`
  return label
}

/** Counts calendar days in UTC, so that it agrees with the date next to it. */
export function describeExpiry({ expires_at }: ExpiringKey, now: number): string {
  const days = Math.floor(expires_at / SECONDS_PER_DAY) - Math.floor(now / SECONDS_PER_DAY)
  const date = formatDate(expires_at)
  if (expires_at <= now) return `expired on ${date}`
  if (days === 0) return `expires today, ${date}`
  return `expires in ${formatCount(days, 'day')} on ${date}`
}

export function describeOwner({ owner, is_personal }: ExpiringKey): string {
  return `${is_personal ? 'user' : 'service account'} ${formatName(owner)}`
}

/** `2026-11-15`, in UTC. */
export function formatDate(epoch_s: number): string {
  return toIso(epoch_s).slice(0, 10)
}

/** `2026-11-15 08:44 UTC`. */
export function formatDateTime(epoch_s: number): string {
  return `${toIso(epoch_s).slice(0, 16).replace('T', ' ')} UTC`
}

function formatCount(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

function describeEnvironmentEvent(notice: EnvironmentNotice): string {
  const { event_type, artifacts_total, artifacts } = notice
  const named = `${formatName(notice.environment)} of ${formatName(notice.org)}`
  const place = `environment ${named}`
  const [only] = artifacts
  const subject =
    only && artifacts_total === 1
      ? `Artifact ${formatName(only.name)}`
      : `${artifacts_total === 0 ? 'No' : artifacts_total} artifacts`
  switch (event_type) {
    case 'STARTED_ARTIFACT':
      return `${subject} started in ${place}`
    case 'EXITED_ARTIFACT':
      return `${subject} exited from ${place}`
    case 'SCALED_ARTIFACT':
      return `${subject} ${only && artifacts_total === 1 ? describeChange(only) : 'changed'} in ${place}`
    case 'ALLOWED_ARTIFACT':
      return `${subject} ${artifacts_total === 1 ? 'was' : 'were'} allow-listed in ${place}`
    case 'NON_COMPLIANT_ENV':
      return `Environment ${named} is ${toLabel(false)}`
    case 'COMPLIANT_ENV':
      return `Environment ${named} is ${toLabel(true)}`
    case 'STALE_ENV':
      return `Environment ${named} is STALE`
    case 'REPORTING_ENV':
      return `Environment ${named} is reporting again`
  }
}

function describeFlowEvent(notice: FlowNotice): string {
  const { event_type, trail, artifact, attestation, approval } = notice
  const place = `flow ${formatName(notice.flow)} of ${formatName(notice.org)}`
  const subject = artifact ? `artifact ${formatName(artifact.name)}` : `trail ${formatName(trail ?? '')}`
  switch (event_type) {
    case 'STARTED_TRAIL':
      return `Trail ${formatName(trail ?? '')} started in ${place}`
    case 'ATTESTED_PROVENANCE':
      return `${capitalize(subject)} was reported in ${place}`
    case 'ATTESTATION':
      return `Attestation ${formatName(attestation?.name ?? '')} for ${subject} in ${place} is ${toLabel(attestation?.compliant ?? null)}`
    case 'APPROVAL':
      return `Approval ${approval?.number ?? ''} of ${subject} in ${place} is ${formatName(approval?.state ?? '')}`
    case 'RELEASE':
      return `${capitalize(subject)} of ${place} is approved`
  }
}

/** Names the trail if the headline does not. */
function describeTrail({ event_type, trail, artifact }: FlowNotice): string {
  return trail === null || event_type === 'STARTED_TRAIL' || artifact === null
    ? ''
    : ` (trail ${formatName(trail)})`
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function describeChange({ change, compliant, instances }: NoticeArtifact): string {
  switch (change) {
    case 'scaled':
      return instances
        ? `scaled from ${instances.was} to ${formatCount(instances.now, 'instance')}`
        : 'was scaled'
    case 'updated-provenance':
      return 'gained provenance'
    default:
      return `is now ${toLabel(compliant)}`
  }
}

function describeOutcome({ event_type, artifacts, artifacts_total, silence }: EnvironmentNotice): string {
  if (event_type === 'STALE_ENV') return silence ? describeStaleness(silence) : ''
  if (event_type === 'REPORTING_ENV') return ''
  if (event_type === 'COMPLIANT_ENV') return ': all running artifacts are compliant'
  if (event_type === 'NON_COMPLIANT_ENV') {
    if (artifacts_total === 0) return ''
    const verb = artifacts_total === 1 ? 'is' : 'are'
    return `: ${artifacts_total} of its artifacts ${verb} non-compliant`
  }
  if (event_type === 'EXITED_ARTIFACT' || event_type === 'ALLOWED_ARTIFACT') return ''
  return artifacts_total === 1
    ? describeOneState(artifacts[0])
    : describeManyStates(artifacts, artifacts_total)
}

function describeStaleness({
  last_reported_at,
  expected_report_interval,
}: NonNullable<EnvironmentNotice['silence']>): string {
  if (last_reported_at === null) return ''
  const expected =
    expected_report_interval === null
      ? ''
      : `; a report is expected every ${formatDuration(expected_report_interval)}`
  return `: the latest report was on ${formatDateTime(last_reported_at)}${expected}`
}

/** Uses the largest unit that divides it. */
function formatDuration(seconds: number): string {
  const [size, unit] = UNITS.find(([length]) => seconds % length === 0) ?? [1, 'second']
  return seconds === size ? unit : formatCount(seconds / size, unit)
}

function describeOneState(artifact: NoticeArtifact | undefined): string {
  if (!artifact) return ''
  const { change, compliant } = artifact
  if (change === 'changed' && compliant === null) return `: ${NO_POLICY}`
  if (!change.startsWith('started') && change !== 'scaled' && change !== 'updated-provenance') return ''
  return compliant === null
    ? `, its compliance is ${toLabel(null)}: ${NO_POLICY}`
    : ` and is ${toLabel(compliant)}`
}

function describeManyStates(artifacts: readonly NoticeArtifact[], total: number): string {
  // Artifacts that are not listed were not counted.
  const atLeast = artifacts.length < total ? 'at least ' : ''
  return [false, null]
    .map(verdict => [verdict, artifacts.filter(({ compliant }) => compliant === verdict).length] as const)
    .filter(([, count]) => count > 0)
    .map(
      ([verdict, count]) =>
        `, ${atLeast}${count} of them ${toLabel(verdict)}${verdict === null ? ` (${NO_POLICY})` : ''}`,
    )
    .join('')
}

function describeSnapshot({ event_type, snapshot }: EnvironmentNotice): string {
  if (!snapshot) return ''
  const isMentioned =
    event_type === 'COMPLIANT_ENV' || event_type === 'NON_COMPLIANT_ENV' || event_type === 'STALE_ENV'
  return ` (snapshot ${snapshot.index}${isMentioned ? '' : `: ${toLabel(snapshot.compliant)}`})`
}

function formatKeysHeadline({ keys, org, happened_at }: KeyExpiryNotice): string {
  const prefix = keys.some(({ notice }) => notice === 'last') ? 'Last reminder: ' : ''
  const [only] = keys
  if (only && keys.length === 1) {
    return `${prefix}API key of ${describeOwner(only)} in ${formatName(org)} ${describeExpiry(only, happened_at)}`
  }
  return `${prefix}${formatCount(keys.length, 'API key')} of ${formatName(org)} will expire soon`
}

function describeKeys(notice: KeyExpiryNotice): string {
  const { keys, org, happened_at } = notice
  const [first] = keys.toSorted((a, b) => a.expires_at - b.expires_at)
  if (!first) return formatKeysHeadline(notice)
  const prefix = keys.some(key => key.notice === 'last') ? 'Last reminder: ' : ''
  const named = first.description === '' ? '' : ` '${formatName(first.description)}'`
  const key = `API key${named} of ${describeOwner(first)}`
  const end = describeExpiry(first, happened_at)
  if (keys.length === 1) return `${prefix}${key} in ${formatName(org)} ${end}; rotate it before then`
  const all = `${formatCount(keys.length, 'API key')} of ${formatName(org)} will expire soon`
  return `${prefix}${all}; the first of them, ${key}, ${end}`
}

function describeTest({ org, asked_by, notification }: TestNotice): string {
  const subject = notification
    ? `notification ${notification.number} '${formatName(notification.name)}'`
    : 'the built-in notices'
  return `This is a test of ${subject} of ${formatName(org)}, sent by ${formatName(asked_by)}; no action is needed`
}

function describeSwitchedOff(notice: SwitchedOffNotice): string {
  const { org, notification, target, failing_since, error } = notice
  const subject = notification
    ? `Notification ${notification.number} '${formatName(notification.name)}' of ${formatName(org)}`
    : `Built-in notices of ${formatName(org)}`
  const where = formatName(target.shown)
  const why = error === '' ? '' : `; latest error: ${formatName(error)}`
  const verb = notification ? 'is' : 'are'
  return `${subject} ${verb} no longer sent to ${where}: every delivery has failed since ${formatDateTime(failing_since)}${why}`
}

function describeFork({ org, origin, witnesses }: LogForkNotice): string {
  const [first] = witnesses
  const names = witnesses.map(({ name }) => formatName(name)).join(', ')
  const subject = witnesses.length === 1 ? `Witness ${names} has` : `Witnesses ${formatName(names)} have`
  const why = first ? `: ${formatName(first.message)}` : ''
  return `${subject} seen another version of the log ${formatName(origin)} of ${formatName(org)}${why}`
}

function formatInstances(count: number | undefined): string {
  return count === undefined || count === 1 ? '' : ` with ${formatCount(count, 'instance')}`
}

function toIso(epoch_s: number): string {
  return new Date(epoch_s * 1000).toISOString()
}

function describeStopped({ org, owner, has_left, tokens }: TokensStoppedNotice): string {
  const why = has_left ? 'has left' : 'is no longer an admin'
  const which = tokens.length === 1 ? 'The SCIM token' : `${tokens.length} SCIM tokens`
  return `${which} of ${formatName(org)} stopped working, because ${formatName(owner)}, who answered for ${tokens.length === 1 ? 'it' : 'them'}, ${why}`
}
