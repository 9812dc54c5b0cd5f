// The content of a chat message, and how it withstands hostile text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildChatMessage, MAX_BLOCKS, MAX_HEADER_CHARACTERS, MAX_SECTION_CHARACTERS } from './chat.ts'
import { escapeSentence, fitLines, formatCode, formatLink } from './chat-text.ts'
import {
  anyNotice,
  BASE_URL,
  DAY,
  FORK,
  GREEN,
  HOSTILE,
  makeArtifact,
  makeEnvironmentNotice,
  makeHostileNotices,
  makeKey,
  makeKeysNotice,
  NOW,
  REASON,
  SWITCHED_OFF,
  TEST,
  TOKENS_STOPPED,
} from './notice.testing.ts'
import type { Notice } from './notice.ts'

interface Text {
  type: string
  text: string
  verbatim?: boolean
  emoji?: boolean
}
interface Message {
  text: string
  blocks: { type: string; text?: Text; elements?: Text[] }[]
}

const buildMessage = (notice: Notice): Message => JSON.parse(buildChatMessage(notice, BASE_URL))
const listTexts = ({ blocks }: Message) =>
  blocks.flatMap(({ text, elements }) => [text, elements].flat()).filter(text => text !== undefined)
const listLines = (notice: Notice) => listTexts(buildMessage(notice)).flatMap(({ text }) => text.split('\n'))

/** Everything that the format interprets: our links, and anything else in angle brackets. */
function listCommands(text: string): string[] {
  return [...text.matchAll(/<([^>]*)>?/g)].map(([, inner]) => inner ?? '')
}

function listProblems(message: Message): string[] {
  const texts = listTexts(message)
  const problems = message.blocks.length > MAX_BLOCKS ? ['too many blocks'] : []
  for (const { type, text, verbatim, emoji } of texts) {
    if (text === '') problems.push('an empty text')
    if (type === 'plain_text' && (text.length > MAX_HEADER_CHARACTERS || emoji !== false))
      problems.push('the header')
    if (type === 'mrkdwn' && (text.length > MAX_SECTION_CHARACTERS || !verbatim)) problems.push('a section')
  }
  for (const text of [message.text, ...texts.map(({ text }) => text)]) {
    if (text.length > MAX_SECTION_CHARACTERS) problems.push('too long')
    if (/[^\P{Cc}\n]|[\p{Surrogate}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b]/u.test(text))
      problems.push('unseen')
    const foreign = listCommands(text).filter(command => !command.startsWith(`${BASE_URL}/`))
    if (foreign.length > 0) problems.push(`commands: ${foreign.join()}`)
    if (/&(?!(amp|lt|gt);)/.test(text)) problems.push('an entity cut in two')
    const outside_code = text.replaceAll(/`[^`\n]+`/g, '').replaceAll(/<[^>]*>/g, '')
    if (/[*~`]|(?<![a-z0-9])_|_(?![a-z0-9])/i.test(outside_code)) problems.push('formatting')
    if (/(?<![a-z0-9])@|@(here|channel|all|everyone)\b/i.test(outside_code)) problems.push('a mention')
    if (/:\/\/|:[\w+'-]+:/.test(outside_code)) problems.push('an address or an emoji')
    if (/^(&gt;|>|#|-|\s*$)/m.test(text.replace(/^$/, 'x'))) problems.push('a line that begins a quote')
  }
  return problems
}

describe('the message', () => {
  it('says what is wrong in a non-compliant environment, where, and how to fix it', () => {
    const artifacts = [makeArtifact(), makeArtifact({ name: 'api:2', reasons: Array(5).fill(REASON) })]
    const message = buildMessage(
      makeEnvironmentNotice('NON_COMPLIANT_ENV', { artifacts, artifacts_total: 14 }),
    )
    expect(message.blocks.map(({ type }) => type)).toEqual(['header', ...Array(5).fill('section'), 'context'])
    const [header, lead, first, second, rest, link, context] = listTexts(message).map(({ text }) => text)
    expect(header).toBe('Environment prod of acme is NON-COMPLIANT')
    expect(lead).toMatch(/14 of its artifacts are non-compliant \(snapshot 12\)$/)
    const reason = [
      "• Has no 'unit-tests' attestation of type 'junit' in trail 'release-7' of flow 'web' (rule 'attestation' of policy 'prod-rules' version 3)",
      `   How to fix: ${REASON.remedy}`,
    ]
    expect(first?.split('\n')).toEqual(['1. `web:1.4` NON-COMPLIANT', ...reason])
    expect(second?.split('\n')).toEqual([
      '2. `api:2` NON-COMPLIANT',
      ...reason,
      ...reason,
      ...reason,
      '• and 2 more reasons',
    ])
    expect(rest).toBe('and 12 more artifacts')
    const page = `<${BASE_URL}/acme/environments/prod/snapshots/12|Open snapshot 12>`
    expect(link).toBe(page)
    expect(context).toBe('Notification 3 “Red production” of acme · by ci-robot · 2026-11-15 08:40 UTC')
    expect(message.text).toBe(`${lead}\n${page}`)
  })

  it.each<[string, Notice, string[]]>([
    [
      'a green environment',
      makeEnvironmentNotice('COMPLIANT_ENV'),
      ['Environment prod of acme is COMPLIANT'],
    ],
    [
      'an artifact that started',
      makeEnvironmentNotice('STARTED_ARTIFACT', {
        artifacts: [makeArtifact({ change: 'started-compliant', ...GREEN })],
      }),
      ['1. `web:1.4` started with 2 instances, COMPLIANT'],
    ],
    [
      'an artifact without provenance, fingerprint, name or reasons',
      makeEnvironmentNotice('EXITED_ARTIFACT', {
        artifacts: [
          makeArtifact({ name: '', fingerprint: '', provenance: null, reasons: [], change: 'exited' }),
        ],
      }),
      ['1. `(no name)` exited'],
    ],
    [
      'an environment without a snapshot',
      makeEnvironmentNotice('ALLOWED_ARTIFACT', { snapshot: null }),
      [`<${BASE_URL}/acme/environments/prod|Open the environment>`],
    ],
    [
      'keys',
      makeKeysNotice([
        makeKey(),
        makeKey({ notice: 'last', description: '', last_used_at: null, expires_at: NOW + 3 * DAY }),
      ]),
      [
        'Last reminder: 2 API keys of acme will expire soon',
        '1. `wb_svc_AbCdEfGhIjKl` “for the pipeline” of service account deployer, expires in 14 days on 2026-11-29, last used on 2026-11-13',
        '2. `wb_svc_AbCdEfGhIjKl` of service account deployer, expires in 3 days on 2026-11-18, never used',
        `<${BASE_URL}/acme/settings/service-accounts|Open the keys>`,
      ],
    ],
    ['more keys than are listed', makeKeysNotice(Array(60).fill(makeKey())), ['and 40 more keys']],
    [
      'a test',
      TEST,
      ['Test notification from acme', `<${BASE_URL}/acme/settings/notifications|Open the notifications>`],
    ],
    ['a fork of the log', FORK, [`<${BASE_URL}/acme/proof|Open the log>`]],
    [
      'a stopped SCIM token',
      TOKENS_STOPPED,
      [`<${BASE_URL}/acme/settings/scim-tokens|Open the SCIM tokens>`],
    ],
    ['a target', SWITCHED_OFF, [`<${BASE_URL}/acme/settings/notifications|Open the notifications>`]],
  ])('describes %s', (_what, notice, lines) => {
    expect(listLines(notice)).toEqual(expect.arrayContaining(lines))
    expect(listProblems(buildMessage(notice))).toEqual([])
  })

  it.each(Object.entries(HOSTILE))('does not interpret %s in any place', (_what, text) => {
    for (const notice of makeHostileNotices(text)) expect(listProblems(buildMessage(notice))).toEqual([])
  })

  it('keeps the limits of the format and interprets nothing, whatever it contains', () => {
    fc.assert(
      fc.property(anyNotice, notice => {
        expect(listProblems(buildMessage(notice))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

describe('text in a message', () => {
  it.each([
    ['<!channel> & <@U1>', '&lt;!channel&gt; &amp; &lt;＠U1&gt;'],
    ['my_app_v2', 'my_app_v2'],
    ['_slanted_ a_ _b', '＿slanted＿ a＿ ＿b'],
    ['*a* ~b~ `c`', '∗a∗ ∼b∼ ˋcˋ'],
    ['@here x@here web@sha256', '＠here x＠here web@sha256'],
    ['https://evil.example', 'https꞉//evil.example'],
    [':skull: web:1.4 a:b:c', '꞉skull: web:1.4 a꞉b:c'],
    ['a\n> b\u202ec', 'a &gt; b\ufffdc'],
  ])('is shown and not interpreted: %s', (text, shown) => expect(escapeSentence(text, 100)).toBe(shown))

  it.each([
    ['a_b*c~d:e: @here', '`a_b*c~d:e: @here`'],
    ['a`b<!here>', '`aˋb&lt;!here&gt;`'],
    ['', '`(no name)`'],
  ])('is a name as it is: %s', (text, shown) => expect(formatCode(text, 100)).toBe(shown))

  it('is cut before it is escaped', () => {
    expect(escapeSentence('&'.repeat(10), 4)).toBe('&amp;&amp;&amp;…')
    expect(formatLink('https://x.example/?a&b', 'y')).toBe('<https://x.example/?a&amp;b|y>')
  })

  it('keeps whole lines', () => {
    expect(fitLines(['abc', 'def'], 7)).toBe('abc\ndef')
    expect(fitLines(['abc', 'def', 'ghi'], 9)).toBe('abc\ndef\n…')
    expect(fitLines(['abc', 'defg'], 7)).toBe('abc\n…')
    expect(fitLines(['abcdefgh'], 7)).toBe('…')
  })
})
