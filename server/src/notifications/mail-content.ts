// The content of a mail before it is rendered as plain text and as HTML, so that both have the same content. Every
// text is one line of bounded length; every address may become a link.
import {
  buildArtifactAddress,
  buildEnvironmentPageUrl,
  buildFlowArtifactAddress,
  buildFlowPageUrl,
  buildKeysPageUrl,
  buildLogPageUrl,
  buildNotificationsPageUrl,
  buildTokensPageUrl,
  buildTrailAddress,
  isWebAddress,
} from '../domain/notification/addresses.ts'
import {
  describeArtifact,
  describeExpiry,
  describeNotice,
  describeOwner,
  describeReason,
  describeRest,
  formatDate,
  formatDateTime,
  formatFootnote,
  formatHeadline,
  listReasons,
  toLabel,
} from '../domain/notification/describe.ts'
import {
  type EnvironmentNotice,
  type ExpiringKey,
  type FlowNotice,
  type KeyExpiryNotice,
  type LogForkNotice,
  MAX_ARTIFACTS,
  MAX_REASONS,
  type Notice,
  type NoticeArtifact,
  type SwitchedOffNotice,
  type TokensStoppedNotice,
} from '../domain/notification/notice.ts'
import { cut, toOneLine } from '../domain/notification/plain-text.ts'
import type { Reason } from '../domain/policy/decision.ts'

/** Further keys are counted but not listed. */
const MAX_KEYS = 100
const MAX_NAME_CHARACTERS = 300
const MAX_SENTENCE_CHARACTERS = 1_000
/** Longer addresses are not linked: a truncated address leads somewhere else. */
const MAX_ADDRESS_CHARACTERS = 2_048

export type Tone = 'good' | 'bad' | 'neutral'

export interface Fact {
  label: string
  text: string
  href: string | null
}

interface Point {
  text: string
  /** How to fix it. */
  remedy: string
}

export interface Item {
  title: string
  status: string
  tone: Tone
  facts: readonly Fact[]
  points: readonly Point[]
  /** How many entries are left out. */
  rest: string | null
}

export interface MailContent {
  headline: string
  lead: string
  tone: Tone
  items: readonly Item[]
  rest: string | null
  /** What to do now. */
  advice: string | null
  action: { label: string; href: string }
  footnote: string
  /** Where notifications are configured. */
  settings: { label: string; href: string }
}

export function buildContent(notice: Notice, base_url: string): MailContent {
  const settings = { label: 'Notification settings', href: buildNotificationsPageUrl(notice.org, base_url) }
  return {
    headline: formatHeadline(notice),
    lead: describeNotice(notice),
    footnote: formatFootnote(notice),
    settings,
    ...buildParts(notice, base_url, settings.href),
  }
}

type Parts = Pick<MailContent, 'tone' | 'items' | 'rest' | 'advice' | 'action'>

function buildParts(notice: Notice, base_url: string, settings: string): Parts {
  switch (notice.about) {
    case 'environment':
      return buildEnvironmentParts(notice, base_url)
    case 'flow':
      return buildFlowParts(notice, base_url)
    case 'api_keys':
      return buildKeysParts(notice, base_url)
    case 'target':
      return buildTargetParts(notice, settings)
    case 'log':
      return buildForkParts(notice, base_url)
    case 'scim_tokens':
      return buildTokenParts(notice, base_url)
    case 'test':
      return {
        tone: 'neutral',
        items: [],
        rest: null,
        advice: null,
        action: { label: 'Open the notifications', href: settings },
      }
  }
}

function buildEnvironmentParts(notice: EnvironmentNotice, base_url: string): Parts {
  const { artifacts, artifacts_total, snapshot, event_type, org } = notice
  const listed = artifacts.slice(0, MAX_ARTIFACTS)
  const isRed =
    event_type === 'NON_COMPLIANT_ENV' ||
    (event_type !== 'EXITED_ARTIFACT' && listed.some(({ compliant }) => compliant === false))
  return {
    tone: isRed || event_type === 'STALE_ENV' ? 'bad' : event_type === 'COMPLIANT_ENV' ? 'good' : 'neutral',
    items: listed.map(artifact => buildArtifactItem(org, artifact, base_url)),
    rest: describeRest(artifacts_total, listed.length, 'artifact'),
    advice: null,
    action: {
      label: snapshot ? `Open snapshot ${snapshot.index}` : 'Open the environment',
      href: buildEnvironmentPageUrl(notice, base_url),
    },
  }
}

function buildArtifactItem(org: string, artifact: NoticeArtifact, base_url: string): Item {
  const { name, fingerprint, compliant, change } = artifact
  const reasons = listReasons(artifact)
  const listed = reasons.slice(0, MAX_REASONS)
  return {
    title: toShortLine(name) || '(no name)',
    status: describeArtifact(artifact),
    tone: change === 'exited' || compliant === null ? 'neutral' : compliant ? 'good' : 'bad',
    facts: [
      buildFact('Fingerprint', fingerprint || 'not reported', null),
      ...buildProvenanceFacts(org, artifact, base_url),
    ],
    points: listed.map(buildPoint),
    rest: describeRest(reasons.length, listed.length, 'reason'),
  }
}

function buildProvenanceFacts(org: string, artifact: NoticeArtifact, base_url: string): Fact[] {
  const { provenance } = artifact
  if (!provenance) return [buildFact('Provenance', 'not reported to any flow', null)]
  const { flow_name, trail_name, artifact_state, git_commit, commit_url, build_url } = provenance
  const page = buildArtifactAddress(org, artifact, provenance, base_url)?.html_url ?? null
  const trail = trail_name === null ? '' : `, trail ${trail_name}`
  return [
    buildFact('Flow', `${flow_name}${trail}: ${artifact_state}`, page),
    ...(git_commit ? [buildFact('Commit', git_commit, toSafeLink(commit_url))] : []),
    ...(build_url ? [buildFact('Build', build_url, toSafeLink(build_url))] : []),
  ]
}

function buildPoint(reason: Reason): Point {
  return {
    text: cut(describeReason(reason), MAX_SENTENCE_CHARACTERS),
    remedy: cut(toOneLine(reason.remedy), MAX_SENTENCE_CHARACTERS),
  }
}

function buildFlowParts(notice: FlowNotice, base_url: string): Parts {
  const { flow, trail, artifact, attestation, approval } = notice
  const tone = attestation ? (attestation.compliant ? 'good' : 'bad') : 'neutral'
  const fingerprint = artifact?.fingerprint || 'not reported yet'
  return {
    tone,
    items: [
      {
        title: toShortLine(attestation?.name ?? artifact?.name ?? trail ?? flow) || '(no name)',
        status: attestation ? toLabel(attestation.compliant) : toShortLine(approval?.state ?? ''),
        tone,
        facts: [
          buildFact('Flow', flow, null),
          ...(trail === null
            ? []
            : [buildFact('Trail', trail, buildTrailAddress(notice, base_url)?.html_url ?? null)]),
          ...(attestation ? [buildFact('Type', attestation.type, null)] : []),
          ...(artifact
            ? [
                buildFact(
                  'Artifact',
                  artifact.name,
                  buildFlowArtifactAddress(notice, base_url)?.html_url ?? null,
                ),
              ]
            : []),
          ...(artifact ? [buildFact('Fingerprint', fingerprint, null)] : []),
        ],
        points: [],
        rest: null,
      },
    ],
    rest: null,
    advice: null,
    action: {
      label: trail === null ? 'Open the flow' : 'Open the trail',
      href: buildFlowPageUrl(notice, base_url),
    },
  }
}

function buildKeysParts(notice: KeyExpiryNotice, base_url: string): Parts {
  const listed = notice.keys.slice(0, MAX_KEYS)
  return {
    tone: listed.some(key => key.notice === 'last') ? 'bad' : 'neutral',
    items: listed.map(key => buildKeyItem(key, notice.happened_at)),
    rest: describeRest(notice.keys.length, listed.length, 'key'),
    advice:
      'Rotate keys that are still in use: the old key stays valid for a grace period, so nothing stops working. ' +
      'Revoke keys that are no longer used.',
    action: {
      label: `Open the ${listed.length === 1 ? 'key' : 'keys'}`,
      href: buildKeysPageUrl(notice, base_url),
    },
  }
}

function buildKeyItem(key: ExpiringKey, now: number): Item {
  const { description: title, hint, last_used_at, notice } = key
  return {
    title: toShortLine(title) || toShortLine(hint) || '(no name)',
    status: describeExpiry(key, now),
    tone: notice === 'last' ? 'bad' : 'neutral',
    facts: [
      buildFact('Owner', describeOwner(key), null),
      buildFact('Key', `${hint}…`.replace(/……$/, '…'), null),
      buildFact('Expires', formatDateTime(key.expires_at), null),
      buildFact('Last used', last_used_at === null ? 'never' : formatDate(last_used_at), null),
    ],
    points: [],
    rest: null,
  }
}

function buildTargetParts(
  { target, error, failing_since, notification }: SwitchedOffNotice,
  settings: string,
): Parts {
  return {
    tone: 'bad',
    items: [
      {
        title: toShortLine(target.shown),
        status: 'switched off',
        tone: 'bad',
        facts: [
          ...(notification
            ? [buildFact('Notification', `${notification.number} ${notification.name}`, null)]
            : []),
          buildFact('Kind', target.type.toLowerCase(), null),
          buildFact('Failing since', formatDateTime(failing_since), null),
          ...(error === '' ? [] : [buildFact('Latest failure', error, null)]),
        ],
        points: [],
        rest: null,
      },
    ],
    rest: null,
    advice: 'Notifications are no longer sent there. Fix the target or replace it, then send a test.',
    action: { label: 'Open the notifications', href: settings },
  }
}

function buildForkParts({ org, origin, size, witnesses }: LogForkNotice, base_url: string): Parts {
  return {
    tone: 'bad',
    items: witnesses.map(({ name, message }) => ({
      title: toShortLine(name) || '(no name)',
      status: 'has seen another log',
      tone: 'bad',
      facts: [
        buildFact('Log', origin, null),
        buildFact('Leaves now', String(size), null),
        buildFact('Reason', message, null),
      ],
      points: [],
      rest: null,
    })),
    rest: null,
    advice:
      'Either records of the log were changed or lost since the witness has seen them, or the witness is wrong. ' +
      'Ask the operator of this service whether a backup was restored. Ask whoever runs the witness for its ' +
      'checkpoint, and keep it with yours: both are evidence. Recording goes on.',
    action: { label: 'Open the log', href: buildLogPageUrl(org, base_url) },
  }
}

function buildTokenParts({ org, tokens }: TokensStoppedNotice, base_url: string): Parts {
  return {
    tone: 'bad',
    items: tokens.map(({ description, hint }) => ({
      title: toShortLine(description) || '(no description)',
      status: 'stopped',
      tone: 'bad',
      facts: [buildFact('Token', `${hint}…`, null)],
      points: [],
      rest: null,
    })),
    rest: null,
    advice:
      'Until an admin adopts the token or creates another one, the identity provider cannot add, change or remove people. ' +
      'The secret of an adopted token stays the same: if the previous owner may have kept it, create another one.',
    action: { label: 'Open the SCIM tokens', href: buildTokensPageUrl(org, base_url) },
  }
}

function buildFact(label: string, text: string, href: string | null): Fact {
  return { label, text: toShortLine(text), href }
}

/** A user-supplied address as browsers parse it; null if it must not become a link. */
function toSafeLink(address: string | null): string | null {
  if (address === null || !isWebAddress(address)) return null
  const { href } = new URL(address)
  return href.length <= MAX_ADDRESS_CHARACTERS ? href : null
}

function toShortLine(text: string): string {
  return cut(toOneLine(text), MAX_NAME_CHARACTERS)
}
