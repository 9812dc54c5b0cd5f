// A message for a chat, in the format of incoming webhooks: a text for notifications and simple receivers, and blocks
// for those that can show them.
import type { Reason } from '../policy/decision.ts'
import { environmentPage, flowPage, keysPage, notificationsPage } from './addresses.ts'
import { inCode, inSentence, linesWithin, linkTo } from './chat-text.ts'
import {
  artifactStanding,
  dateOf,
  description,
  expiryOf,
  footnote,
  headline,
  keyOwner,
  leftOut,
  reasonSentence,
  reasonsOf,
} from './describe.ts'
import { type EndingKey, MOST_ARTIFACTS, MOST_REASONS, type Notice, type NoticeArtifact } from './notice.ts'
import { cut } from './plain-text.ts'

/** The limits of the format. */
export const MOST_BLOCKS = 50
export const MOST_OF_SECTION = 3_000
export const MOST_OF_HEADER = 150
/** More keys than these are counted and not listed. */
const MOST_KEYS = 20
/** Escaped they are up to five times as long: a name and one reason always fit into a section. */
const MOST_OF_NAME = 150
const MOST_OF_REASON = 350
const MOST_OF_SENTENCE = 500

interface Markup {
  type: 'mrkdwn'
  text: string
  /** Nothing is made of names, addresses and mentions that are written out. */
  verbatim: true
}

type Block =
  | { type: 'header'; text: { type: 'plain_text'; text: string; emoji: false } }
  | { type: 'section'; text: Markup }
  | { type: 'context'; elements: Markup[] }

export function chatMessage(notice: Notice, base_url: string): string {
  const link = linkOf(notice, base_url)
  const said = inSentence(description(notice), MOST_OF_SENTENCE)
  const blocks: Block[] = [
    { type: 'header', text: { type: 'plain_text', text: headerOf(notice), emoji: false } },
    section([said]),
    ...listOf(notice).map(section),
    section([link]),
    { type: 'context', elements: [markup([inSentence(footnote(notice), MOST_OF_SENTENCE)])] },
  ]
  return JSON.stringify({
    text: linesWithin([said, link], MOST_OF_SECTION),
    blocks: blocks.slice(0, MOST_BLOCKS),
  })
}

/** What is escaped is longer than what is read; the limit is for the former. */
function headerOf(notice: Notice): string {
  for (const most of [MOST_OF_HEADER, MOST_OF_HEADER / 5]) {
    const text = inSentence(headline(notice), most)
    if (text.length <= MOST_OF_HEADER) return text
  }
  return cut(notice.event_type, MOST_OF_HEADER)
}

function linkOf(notice: Notice, base_url: string): string {
  switch (notice.about) {
    case 'environment': {
      const { snapshot } = notice
      const label = snapshot ? `Open snapshot ${snapshot.index}` : 'Open the environment'
      return linkTo(environmentPage(notice, base_url), label)
    }
    case 'flow':
      return linkTo(flowPage(notice, base_url), notice.trail === null ? 'Open the flow' : 'Open the trail')
    case 'api_keys':
      return linkTo(keysPage(notice, base_url), 'Open the keys')
    case 'test':
    case 'target':
      return linkTo(notificationsPage(notice.org, base_url), 'Open the notifications')
  }
}

/** The lines of one section for each artifact or key. */
function listOf(notice: Notice): string[][] {
  if (notice.about === 'environment') {
    const told = notice.artifacts.slice(0, MOST_ARTIFACTS)
    return [...told.map(artifactLines), ...more(notice.artifacts_total, told.length, 'artifact')]
  }
  if (notice.about === 'api_keys') {
    const told = notice.keys.slice(0, MOST_KEYS)
    const lines = told.map((key, i) => [keyLine(key, i, notice.happened_at)])
    return [...lines, ...more(notice.keys.length, told.length, 'key')]
  }
  return []
}

function artifactLines(artifact: NoticeArtifact, i: number): string[] {
  const reasons = reasonsOf(artifact)
  const told = reasons.slice(0, MOST_REASONS)
  const rest = leftOut(reasons.length, told.length, 'reason')
  return [
    `${i + 1}. ${inCode(artifact.name, MOST_OF_NAME)} ${artifactStanding(artifact)}`,
    ...told.flatMap(reasonLines),
    ...(rest === null ? [] : [`• ${rest}`]),
  ]
}

function reasonLines(reason: Reason): string[] {
  return [
    `• ${inSentence(reasonSentence(reason), MOST_OF_REASON)}`,
    `   What helps: ${inSentence(reason.remedy, MOST_OF_REASON)}`,
  ]
}

function keyLine(key: EndingKey, i: number, now: number): string {
  const used = key.last_used_at === null ? 'never used' : `last used on ${dateOf(key.last_used_at)}`
  const named = key.description === '' ? '' : ` “${inSentence(key.description, MOST_OF_NAME)}”`
  const owner = inSentence(keyOwner(key), MOST_OF_NAME)
  return `${i + 1}. ${inCode(key.hint, MOST_OF_NAME)}${named} of ${owner}, ${expiryOf(key, now)}, ${used}`
}

function more(total: number, shown: number, noun: string): string[][] {
  const rest = leftOut(total, shown, noun)
  return rest === null ? [] : [[rest]]
}

function section(lines: readonly string[]): Block {
  return { type: 'section', text: markup(lines) }
}

function markup(lines: readonly string[]): Markup {
  return { type: 'mrkdwn', text: linesWithin(lines, MOST_OF_SECTION), verbatim: true }
}
