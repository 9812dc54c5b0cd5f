// What a mail says, before it is written as plain text and as HTML: both have the same content because both are made of
// this. Every text in it is one line and of bounded length; every address may become a link.
import {
  artifactAddress,
  builtAddress,
  environmentPage,
  flowPage,
  isWebAddress,
  keysPage,
  notificationsPage,
  trailAddress,
} from '../domain/notification/addresses.ts'
import {
  artifactStanding,
  dateOf,
  description,
  expiryOf,
  footnote,
  headline,
  keyOwner,
  labelOf,
  leftOut,
  momentOf,
  reasonSentence,
  reasonsOf,
} from '../domain/notification/describe.ts'
import {
  type EndingKey,
  type EnvironmentNotice,
  type FlowNotice,
  type KeyExpiryNotice,
  MOST_ARTIFACTS,
  MOST_REASONS,
  type Notice,
  type NoticeArtifact,
  type SwitchedOffNotice,
} from '../domain/notification/notice.ts'
import { cut, oneLine } from '../domain/notification/plain-text.ts'
import type { Reason } from '../domain/policy/decision.ts'

/** More keys than these are counted and not listed. */
const MOST_KEYS = 100
const MOST_OF_NAME = 300
const MOST_OF_SENTENCE = 1_000
/** Longer ones are shown nowhere: half of an address leads elsewhere. */
const MOST_OF_ADDRESS = 2_048

export type Mood = 'good' | 'bad' | 'neutral'

export interface Fact {
  label: string
  text: string
  href: string | null
}

export interface Point {
  text: string
  /** What would help. */
  remedy: string
}

export interface Item {
  title: string
  standing: string
  mood: Mood
  facts: readonly Fact[]
  points: readonly Point[]
  /** How much of the above is left out. */
  rest: string | null
}

export interface MailContent {
  headline: string
  lead: string
  mood: Mood
  items: readonly Item[]
  rest: string | null
  /** What to do now. */
  advice: string | null
  action: { label: string; href: string }
  footnote: string
  /** Where one says who is told. */
  settings: { label: string; href: string }
}

export function contentOf(notice: Notice, base_url: string): MailContent {
  const settings = { label: 'Who is told of what', href: notificationsPage(notice.org, base_url) }
  return {
    headline: headline(notice),
    lead: description(notice),
    footnote: footnote(notice),
    settings,
    ...partsOf(notice, base_url, settings.href),
  }
}

type Parts = Pick<MailContent, 'mood' | 'items' | 'rest' | 'advice' | 'action'>

function partsOf(notice: Notice, base_url: string, settings: string): Parts {
  switch (notice.about) {
    case 'environment':
      return ofEnvironment(notice, base_url)
    case 'flow':
      return ofFlow(notice, base_url)
    case 'api_keys':
      return ofKeys(notice, base_url)
    case 'target':
      return ofTarget(notice, settings)
    case 'test':
      return {
        mood: 'neutral',
        items: [],
        rest: null,
        advice: null,
        action: { label: 'Open the notifications', href: settings },
      }
  }
}

function ofEnvironment(notice: EnvironmentNotice, base_url: string): Parts {
  const { artifacts, artifacts_total, snapshot, event_type, org } = notice
  const told = artifacts.slice(0, MOST_ARTIFACTS)
  const isRed =
    event_type === 'NON_COMPLIANT_ENV' ||
    (event_type !== 'EXITED_ARTIFACT' && told.some(({ compliant }) => compliant === false))
  return {
    mood: isRed || event_type === 'STALE_ENV' ? 'bad' : event_type === 'COMPLIANT_ENV' ? 'good' : 'neutral',
    items: told.map(artifact => artifactItem(org, artifact, base_url)),
    rest: leftOut(artifacts_total, told.length, 'artifact'),
    advice: null,
    action: {
      label: snapshot ? `Open snapshot ${snapshot.index}` : 'Open the environment',
      href: environmentPage(notice, base_url),
    },
  }
}

function artifactItem(org: string, artifact: NoticeArtifact, base_url: string): Item {
  const { name, fingerprint, compliant, change } = artifact
  const reasons = reasonsOf(artifact)
  const told = reasons.slice(0, MOST_REASONS)
  return {
    title: shown(name) || '(no name)',
    standing: artifactStanding(artifact),
    mood: change === 'exited' || compliant === null ? 'neutral' : compliant ? 'good' : 'bad',
    facts: [
      fact('Fingerprint', fingerprint || 'not told by the environment', null),
      ...provenanceFacts(org, artifact, base_url),
    ],
    points: told.map(pointOf),
    rest: leftOut(reasons.length, told.length, 'reason'),
  }
}

function provenanceFacts(org: string, artifact: NoticeArtifact, base_url: string): Fact[] {
  const { provenance } = artifact
  if (!provenance) return [fact('Provenance', 'no flow knows it', null)]
  const { flow_name, trail_name, artifact_state, git_commit, commit_url, build_url } = provenance
  const page = artifactAddress(org, artifact, provenance, base_url)?.html_url ?? null
  const trail = trail_name === null ? '' : `, trail ${trail_name}`
  return [
    fact('Flow', `${flow_name}${trail}: ${artifact_state}`, page),
    ...(git_commit ? [fact('Commit', git_commit, given(commit_url))] : []),
    ...(build_url ? [fact('Build', build_url, given(build_url))] : []),
  ]
}

function pointOf(reason: Reason): Point {
  return {
    text: cut(reasonSentence(reason), MOST_OF_SENTENCE),
    remedy: cut(oneLine(reason.remedy), MOST_OF_SENTENCE),
  }
}

function ofFlow(notice: FlowNotice, base_url: string): Parts {
  const { flow, trail, artifact, attestation, approval } = notice
  const mood = attestation ? (attestation.compliant ? 'good' : 'bad') : 'neutral'
  const built = artifact?.fingerprint || 'not reported yet'
  return {
    mood,
    items: [
      {
        title: shown(attestation?.name ?? artifact?.name ?? trail ?? flow) || '(no name)',
        standing: attestation ? labelOf(attestation.compliant) : shown(approval?.state ?? ''),
        mood,
        facts: [
          fact('Flow', flow, null),
          ...(trail === null ? [] : [fact('Trail', trail, trailAddress(notice, base_url)?.html_url ?? null)]),
          ...(attestation ? [fact('Type', attestation.type, null)] : []),
          ...(artifact
            ? [fact('Artifact', artifact.name, builtAddress(notice, base_url)?.html_url ?? null)]
            : []),
          ...(artifact ? [fact('Fingerprint', built, null)] : []),
        ],
        points: [],
        rest: null,
      },
    ],
    rest: null,
    advice: null,
    action: {
      label: trail === null ? 'Open the flow' : 'Open the trail',
      href: flowPage(notice, base_url),
    },
  }
}

function ofKeys(notice: KeyExpiryNotice, base_url: string): Parts {
  const told = notice.keys.slice(0, MOST_KEYS)
  return {
    mood: told.some(key => key.notice === 'last') ? 'bad' : 'neutral',
    items: told.map(key => keyItem(key, notice.happened_at)),
    rest: leftOut(notice.keys.length, told.length, 'key'),
    advice:
      'Rotate what is still in use: the old key stays valid for a while, so that nothing stops. ' +
      'Revoke what is not used any more.',
    action: { label: `Open the ${told.length === 1 ? 'key' : 'keys'}`, href: keysPage(notice, base_url) },
  }
}

function keyItem(key: EndingKey, now: number): Item {
  const { description: told, hint, last_used_at, notice } = key
  return {
    title: shown(told) || shown(hint) || '(no name)',
    standing: expiryOf(key, now),
    mood: notice === 'last' ? 'bad' : 'neutral',
    facts: [
      fact('Owner', keyOwner(key), null),
      fact('Key', `${hint}…`.replace(/……$/, '…'), null),
      fact('Expires', momentOf(key.expires_at), null),
      fact('Last used', last_used_at === null ? 'never' : dateOf(last_used_at), null),
    ],
    points: [],
    rest: null,
  }
}

function ofTarget(
  { target, error, failing_since, notification }: SwitchedOffNotice,
  settings: string,
): Parts {
  return {
    mood: 'bad',
    items: [
      {
        title: shown(target.shown),
        standing: 'switched off',
        mood: 'bad',
        facts: [
          ...(notification
            ? [fact('Notification', `${notification.number} ${notification.name}`, null)]
            : []),
          fact('Kind', target.type.toLowerCase(), null),
          fact('Failing since', momentOf(failing_since), null),
          ...(error === '' ? [] : [fact('Latest failure', error, null)]),
        ],
        points: [],
        rest: null,
      },
    ],
    rest: null,
    advice: 'Nobody is told there any more. Correct the target or give another one, then send a test.',
    action: { label: 'Open the notifications', href: settings },
  }
}

function fact(label: string, text: string, href: string | null): Fact {
  return { label, text: shown(text), href }
}

/** An address that a user gave, as browsers read it; null when it is none that may be a link. */
function given(address: string | null): string | null {
  if (address === null || !isWebAddress(address)) return null
  const { href } = new URL(address)
  return href.length <= MOST_OF_ADDRESS ? href : null
}

function shown(text: string): string {
  return cut(oneLine(text), MOST_OF_NAME)
}
