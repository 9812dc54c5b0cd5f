// Builds a chat message in the format of incoming webhooks: a text for notifications and simple receivers, and blocks
// for clients that can show them.
import type { Reason } from '../policy/decision.ts'
import {
  buildEnvironmentPageUrl,
  buildFlowPageUrl,
  buildKeysPageUrl,
  buildLogPageUrl,
  buildNotificationsPageUrl,
  buildTokensPageUrl,
} from './addresses.ts'
import { escapeSentence, fitLines, formatCode, formatLink } from './chat-text.ts'
import {
  describeArtifact,
  describeExpiry,
  describeNotice,
  describeOwner,
  describeReason,
  describeRest,
  formatDate,
  formatFootnote,
  formatHeadline,
  listReasons,
} from './describe.ts'
import { type ExpiringKey, MAX_ARTIFACTS, MAX_REASONS, type Notice, type NoticeArtifact } from './notice.ts'
import { cut } from './plain-text.ts'

/** Limits of the message format. */
export const MAX_BLOCKS = 50
export const MAX_SECTION_CHARACTERS = 3_000
export const MAX_HEADER_CHARACTERS = 150
/** Further keys are counted but not listed. */
const MAX_KEYS = 20
/** Escaping makes text up to five times as long: a name and one reason must always fit into a section. */
const MAX_NAME_CHARACTERS = 150
const MAX_REASON_CHARACTERS = 350
const MAX_SENTENCE_CHARACTERS = 500

interface Markup {
  type: 'mrkdwn'
  text: string
  /** Keeps the client from turning names, URLs and mentions into links. */
  verbatim: true
}

type Block =
  | { type: 'header'; text: { type: 'plain_text'; text: string; emoji: false } }
  | { type: 'section'; text: Markup }
  | { type: 'context'; elements: Markup[] }

export function buildChatMessage(notice: Notice, base_url: string): string {
  const link = buildLink(notice, base_url)
  const sentence = escapeSentence(describeNotice(notice), MAX_SENTENCE_CHARACTERS)
  const blocks: Block[] = [
    { type: 'header', text: { type: 'plain_text', text: formatHeader(notice), emoji: false } },
    buildSection([sentence]),
    ...buildSectionLines(notice).map(buildSection),
    buildSection([link]),
    {
      type: 'context',
      elements: [buildMarkup([escapeSentence(formatFootnote(notice), MAX_SENTENCE_CHARACTERS)])],
    },
  ]
  return JSON.stringify({
    text: fitLines([sentence, link], MAX_SECTION_CHARACTERS),
    blocks: blocks.slice(0, MAX_BLOCKS),
  })
}

/** The limit applies to the escaped text, which is longer than the text that people read. */
function formatHeader(notice: Notice): string {
  for (const max of [MAX_HEADER_CHARACTERS, MAX_HEADER_CHARACTERS / 5]) {
    const text = escapeSentence(formatHeadline(notice), max)
    if (text.length <= MAX_HEADER_CHARACTERS) return text
  }
  return cut(notice.event_type, MAX_HEADER_CHARACTERS)
}

function buildLink(notice: Notice, base_url: string): string {
  switch (notice.about) {
    case 'environment': {
      const { snapshot } = notice
      const label = snapshot ? `Open snapshot ${snapshot.index}` : 'Open the environment'
      return formatLink(buildEnvironmentPageUrl(notice, base_url), label)
    }
    case 'flow':
      return formatLink(
        buildFlowPageUrl(notice, base_url),
        notice.trail === null ? 'Open the flow' : 'Open the trail',
      )
    case 'api_keys':
      return formatLink(buildKeysPageUrl(notice, base_url), 'Open the keys')
    case 'test':
    case 'target':
      return formatLink(buildNotificationsPageUrl(notice.org, base_url), 'Open the notifications')
    case 'log':
      return formatLink(buildLogPageUrl(notice.org, base_url), 'Open the log')
    case 'scim_tokens':
      return formatLink(buildTokensPageUrl(notice.org, base_url), 'Open the SCIM tokens')
  }
}

/** One section of lines per artifact or key. */
function buildSectionLines(notice: Notice): string[][] {
  if (notice.about === 'environment') {
    const listed = notice.artifacts.slice(0, MAX_ARTIFACTS)
    return [
      ...listed.map(formatArtifact),
      ...buildRestLines(notice.artifacts_total, listed.length, 'artifact'),
    ]
  }
  if (notice.about === 'api_keys') {
    const listed = notice.keys.slice(0, MAX_KEYS)
    const lines = listed.map((key, i) => [formatKey(key, i, notice.happened_at)])
    return [...lines, ...buildRestLines(notice.keys.length, listed.length, 'key')]
  }
  return []
}

function formatArtifact(artifact: NoticeArtifact, i: number): string[] {
  const reasons = listReasons(artifact)
  const listed = reasons.slice(0, MAX_REASONS)
  const rest = describeRest(reasons.length, listed.length, 'reason')
  return [
    `${i + 1}. ${formatCode(artifact.name, MAX_NAME_CHARACTERS)} ${describeArtifact(artifact)}`,
    ...listed.flatMap(formatReason),
    ...(rest === null ? [] : [`• ${rest}`]),
  ]
}

function formatReason(reason: Reason): string[] {
  return [
    `• ${escapeSentence(describeReason(reason), MAX_REASON_CHARACTERS)}`,
    `   How to fix: ${escapeSentence(reason.remedy, MAX_REASON_CHARACTERS)}`,
  ]
}

function formatKey(key: ExpiringKey, i: number, now: number): string {
  const used = key.last_used_at === null ? 'never used' : `last used on ${formatDate(key.last_used_at)}`
  const named = key.description === '' ? '' : ` “${escapeSentence(key.description, MAX_NAME_CHARACTERS)}”`
  const owner = escapeSentence(describeOwner(key), MAX_NAME_CHARACTERS)
  return `${i + 1}. ${formatCode(key.hint, MAX_NAME_CHARACTERS)}${named} of ${owner}, ${describeExpiry(key, now)}, ${used}`
}

function buildRestLines(total: number, shown: number, noun: string): string[][] {
  const rest = describeRest(total, shown, noun)
  return rest === null ? [] : [[rest]]
}

function buildSection(lines: readonly string[]): Block {
  return { type: 'section', text: buildMarkup(lines) }
}

function buildMarkup(lines: readonly string[]): Markup {
  return { type: 'mrkdwn', text: fitLines(lines, MAX_SECTION_CHARACTERS), verbatim: true }
}
