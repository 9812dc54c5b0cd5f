// What a notice says in plain words: a headline that fits into a subject, a sentence that says more, and the sentences
// about each reason and each key. Webhooks, chats and mails say the same because they all ask here.
import type { Reason } from '../policy/decision.ts'
import type {
  EndingKey,
  EnvironmentNotice,
  FlowNotice,
  KeyExpiryNotice,
  Notice,
  NoticeArtifact,
  SwitchedOffNotice,
  TestNotice,
} from './notice.ts'
import { nameOf, oneLine } from './plain-text.ts'

const SECONDS_PER_DAY = 86_400
const UNITS: readonly [number, string][] = [
  [SECONDS_PER_DAY, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]

export type Label = 'COMPLIANT' | 'NON-COMPLIANT' | 'UNKNOWN'

export function labelOf(compliant: boolean | null): Label {
  if (compliant === null) return 'UNKNOWN'
  return compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}

/** What it is about, without the details. One line. */
export function headline(notice: Notice): string {
  switch (notice.about) {
    case 'environment':
      return happening(notice)
    case 'flow':
      return happeningInFlow(notice)
    case 'api_keys':
      return keysHeadline(notice)
    case 'test':
      return `Test notification from ${nameOf(notice.org)}`
    case 'target':
      return `Notifications of ${nameOf(notice.org)} to ${nameOf(notice.target.shown)} are switched off`
  }
}

/** One line, for whoever reads nothing else. */
export function description(notice: Notice): string {
  switch (notice.about) {
    case 'environment':
      return `${happening(notice)}${outcome(notice)}${snapshotOf(notice)}`
    case 'flow':
      return `${happeningInFlow(notice)}${trailOf(notice)}`
    case 'api_keys':
      return keysDescription(notice)
    case 'test':
      return testDescription(notice)
    case 'target':
      return switchedOffDescription(notice)
  }
}

/** How many are left out of the list; a sentence, or nothing. */
export function leftOut(total: number, shown: number, noun: string): string | null {
  const rest = total - shown
  return rest > 0 ? `and ${rest} more ${rest === 1 ? noun : `${noun}s`}` : null
}

/** The reason as it is told below the name of its artifact, which is therefore not said again. */
export function reasonSentence({ description: told, artifact_name }: Reason): string {
  const beginning = `Artifact '${artifact_name}' `
  const rest = told.startsWith(beginning) ? told.slice(beginning.length) : told
  return oneLine(rest.charAt(0).toUpperCase() + rest.slice(1))
}

/** Why it does not comply, as long as that matters: what no longer runs needs no remedy. */
export function reasonsOf({ change, compliant, reasons }: NoticeArtifact): readonly Reason[] {
  return compliant === false && change !== 'exited' ? reasons : []
}

/** Where the message comes from, whose doing it tells of, and when that was. One line. */
export function footnote(notice: Notice): string {
  const { number, name } = ('notification' in notice && notice.notification) || { number: null, name: '' }
  const of = number === null ? 'Notice' : `Notification ${number} “${nameOf(name)}”`
  const actor = 'actor' in notice ? notice.actor : notice.about === 'test' ? notice.asked_by : ''
  const by = actor === '' ? '' : ` · by ${nameOf(actor)}`
  return `${of} of ${nameOf(notice.org)}${by} · ${momentOf(notice.happened_at)}`
}

/** What became of one artifact of several: "started, NON-COMPLIANT". */
export function artifactStanding({ change, compliant, instances }: NoticeArtifact): string {
  const label = labelOf(compliant)
  if (change === 'exited') return 'exited'
  if (change === 'allow-listed') return `allow-listed, ${label}`
  if (change.startsWith('started')) return `started${ofInstances(instances?.now)}, ${label}`
  if (change === 'scaled' && instances) {
    return `from ${instances.was} to ${counted(instances.now, 'instance')}, ${label}`
  }
  if (change === 'updated-provenance') return `gained provenance, ${label}`
  return label
}

/** By the days of the calendar in UTC, so that it agrees with the date beside it. */
export function expiryOf({ expires_at }: EndingKey, now: number): string {
  const days = Math.floor(expires_at / SECONDS_PER_DAY) - Math.floor(now / SECONDS_PER_DAY)
  const date = dateOf(expires_at)
  if (expires_at <= now) return `expired on ${date}`
  if (days === 0) return `expires today, ${date}`
  return `expires in ${counted(days, 'day')} on ${date}`
}

export function keyOwner({ owner, is_personal }: EndingKey): string {
  return `${is_personal ? 'user' : 'service account'} ${nameOf(owner)}`
}

/** `2026-11-15`, in UTC. */
export function dateOf(epoch_s: number): string {
  return isoOf(epoch_s).slice(0, 10)
}

/** `2026-11-15 08:44 UTC`. */
export function momentOf(epoch_s: number): string {
  return `${isoOf(epoch_s).slice(0, 16).replace('T', ' ')} UTC`
}

export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

function happening(notice: EnvironmentNotice): string {
  const { event_type, artifacts_total, artifacts } = notice
  const named = `${nameOf(notice.environment)} of ${nameOf(notice.org)}`
  const place = `environment ${named}`
  const [only] = artifacts
  const subject =
    only && artifacts_total === 1
      ? `Artifact ${nameOf(only.name)}`
      : `${artifacts_total === 0 ? 'No' : artifacts_total} artifacts`
  switch (event_type) {
    case 'STARTED_ARTIFACT':
      return `${subject} started in ${place}`
    case 'EXITED_ARTIFACT':
      return `${subject} exited from ${place}`
    case 'SCALED_ARTIFACT':
      return `${subject} ${only && artifacts_total === 1 ? becoming(only) : 'changed'} in ${place}`
    case 'ALLOWED_ARTIFACT':
      return `${subject} ${artifacts_total === 1 ? 'was' : 'were'} allow-listed in ${place}`
    case 'NON_COMPLIANT_ENV':
      return `Environment ${named} is ${labelOf(false)}`
    case 'COMPLIANT_ENV':
      return `Environment ${named} is ${labelOf(true)}`
    case 'STALE_ENV':
      return `Environment ${named} is STALE`
    case 'REPORTING_ENV':
      return `Environment ${named} reports again`
  }
}

function happeningInFlow(notice: FlowNotice): string {
  const { event_type, trail, artifact, attestation, approval } = notice
  const place = `flow ${nameOf(notice.flow)} of ${nameOf(notice.org)}`
  const built = artifact ? `artifact ${nameOf(artifact.name)}` : `trail ${nameOf(trail ?? '')}`
  switch (event_type) {
    case 'STARTED_TRAIL':
      return `Trail ${nameOf(trail ?? '')} began in ${place}`
    case 'ATTESTED_PROVENANCE':
      return `${capitalized(built)} was reported in ${place}`
    case 'ATTESTATION':
      return `Attestation ${nameOf(attestation?.name ?? '')} for ${built} in ${place} is ${labelOf(attestation?.compliant ?? null)}`
    case 'APPROVAL':
      return `Approval ${approval?.number ?? ''} of ${built} in ${place} is ${nameOf(approval?.state ?? '')}`
    case 'RELEASE':
      return `${capitalized(built)} of ${place} is approved`
  }
}

/** Where the headline does not name it. */
function trailOf({ event_type, trail, artifact }: FlowNotice): string {
  return trail === null || event_type === 'STARTED_TRAIL' || artifact === null
    ? ''
    : ` (trail ${nameOf(trail)})`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function becoming({ change, compliant, instances }: NoticeArtifact): string {
  switch (change) {
    case 'scaled':
      return instances ? `went from ${instances.was} to ${counted(instances.now, 'instance')}` : 'was scaled'
    case 'updated-provenance':
      return 'gained provenance'
    default:
      return `is now ${labelOf(compliant)}`
  }
}

function outcome({ event_type, artifacts, artifacts_total, silence }: EnvironmentNotice): string {
  if (event_type === 'STALE_ENV') return silence ? silenceOf(silence) : ''
  if (event_type === 'REPORTING_ENV') return ''
  if (event_type === 'COMPLIANT_ENV') return ': everything that runs in it complies'
  if (event_type === 'NON_COMPLIANT_ENV') {
    if (artifacts_total === 0) return ''
    const comply = artifacts_total === 1 ? 'artifacts does not comply' : 'artifacts do not comply'
    return `: ${artifacts_total} of its ${comply}`
  }
  if (event_type === 'EXITED_ARTIFACT' || event_type === 'ALLOWED_ARTIFACT') return ''
  return artifacts_total === 1 ? standingOfOne(artifacts[0]) : standingOfMany(artifacts, artifacts_total)
}

function silenceOf({
  last_reported_at,
  expected_report_interval,
}: NonNullable<EnvironmentNotice['silence']>): string {
  if (last_reported_at === null) return ''
  const expected =
    expected_report_interval === null ? '' : `, expected every ${spanOf(expected_report_interval)}`
  return `: its latest report is of ${momentOf(last_reported_at)}${expected}`
}

/** In the largest unit that it is a whole number of. */
export function spanOf(seconds: number): string {
  const [size, unit] = UNITS.find(([length]) => seconds % length === 0) ?? [1, 'second']
  return seconds === size ? unit : counted(seconds / size, unit)
}

function standingOfOne(artifact: NoticeArtifact | undefined): string {
  if (!artifact) return ''
  const { change, compliant } = artifact
  if (!change.startsWith('started') && change !== 'scaled' && change !== 'updated-provenance') return ''
  return compliant === null ? ', its compliance is UNKNOWN' : ` and is ${labelOf(compliant)}`
}

function standingOfMany(artifacts: readonly NoticeArtifact[], total: number): string {
  const red = artifacts.filter(({ compliant }) => compliant === false).length
  if (red === 0) return ''
  // Those that are not listed were not counted.
  return `, ${artifacts.length < total ? 'at least ' : ''}${red} of them ${labelOf(false)}`
}

function snapshotOf({ event_type, snapshot }: EnvironmentNotice): string {
  if (!snapshot) return ''
  const isSaid =
    event_type === 'COMPLIANT_ENV' || event_type === 'NON_COMPLIANT_ENV' || event_type === 'STALE_ENV'
  return ` (snapshot ${snapshot.index}${isSaid ? '' : `: ${labelOf(snapshot.compliant)}`})`
}

function keysHeadline({ keys, org, happened_at }: KeyExpiryNotice): string {
  const lastCall = keys.some(({ notice }) => notice === 'last') ? 'Last call: ' : ''
  const [only] = keys
  if (only && keys.length === 1) {
    return `${lastCall}API key of ${keyOwner(only)} in ${nameOf(org)} ${expiryOf(only, happened_at)}`
  }
  return `${lastCall}${counted(keys.length, 'API key')} of ${nameOf(org)} will expire soon`
}

function keysDescription(notice: KeyExpiryNotice): string {
  const { keys, org, happened_at } = notice
  const [first] = keys.toSorted((a, b) => a.expires_at - b.expires_at)
  if (!first) return keysHeadline(notice)
  const lastCall = keys.some(key => key.notice === 'last') ? 'Last call: ' : ''
  const named = first.description === '' ? '' : ` '${nameOf(first.description)}'`
  const key = `API key${named} of ${keyOwner(first)}`
  const end = expiryOf(first, happened_at)
  if (keys.length === 1) return `${lastCall}${key} in ${nameOf(org)} ${end}; rotate it before then`
  const all = `${counted(keys.length, 'API key')} of ${nameOf(org)} will expire soon`
  return `${lastCall}${all}; the first of them, ${key}, ${end}`
}

function testDescription({ org, asked_by, notification }: TestNotice): string {
  const of = notification
    ? `notification ${notification.number} '${nameOf(notification.name)}'`
    : 'the notices'
  return `This is a test of ${of} of ${nameOf(org)}, sent by ${nameOf(asked_by)}: nothing has happened`
}

function switchedOffDescription(notice: SwitchedOffNotice): string {
  const { org, notification, target, failing_since, error } = notice
  const what = notification
    ? `Notification ${notification.number} '${nameOf(notification.name)}' of ${nameOf(org)}`
    : `Notices of ${nameOf(org)}`
  const where = nameOf(target.shown)
  const why = error === '' ? '' : `; the latest attempt said: ${nameOf(error)}`
  const verb = notification ? 'is' : 'are'
  return `${what} ${verb} no longer sent to ${where}: nothing arrived since ${momentOf(failing_since)}${why}`
}

function ofInstances(count: number | undefined): string {
  return count === undefined || count === 1 ? '' : ` with ${counted(count, 'instance')}`
}

function isoOf(epoch_s: number): string {
  return new Date(epoch_s * 1000).toISOString()
}
