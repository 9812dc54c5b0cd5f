// Every kind of event has a sentence, with balanced brackets, that begins with a name or a capital letter.
import { describe, expect, it } from 'vitest'
import { joinSentence } from '../src/domain/event-sentence.ts'
import { EVENT_KINDS } from '../src/events/kinds.ts'
import { describeEvent, SENTENCES } from '../src/events/sentences.ts'

const NAMES = {
  flow_name: 'shop',
  trail_name: 'release',
  environment_name: 'prod',
  policy_name: 'rules',
  control: 'SDLC-1',
}
const describe_ = (kind: string, data: Record<string, unknown>) =>
  joinSentence(describeEvent({ ...NAMES, kind, actor: 'mira', data }))

describe('the table of sentences', () => {
  it('has every kind, and no other', () => {
    expect(Object.keys(SENTENCES).toSorted()).toEqual([...EVENT_KINDS].toSorted())
  })

  it.each(EVENT_KINDS)('%s has a sentence, even without any data', kind => {
    const sentence = describe_(kind, {})
    expect(sentence).toMatch(/^(mira|[A-Z(])/)
    expect(sentence).not.toMatch(/[[\]{}_]|undefined| {2}/)
  })
})

describe('a decision', () => {
  const data = {
    attestation_type: 'system:decision',
    artifact_name: 'shop:2',
    template_reference_name: 'review',
  }
  it.each([
    [true, 'mira approved control SDLC-1 for artifact shop:2 in trail release of flow shop'],
    [false, 'mira rejected control SDLC-1 for artifact shop:2 in trail release of flow shop'],
    [null, 'mira rejected control SDLC-1 for artifact shop:2 in trail release of flow shop'],
  ])('that says %s', (is_compliant, expected) => {
    expect(describe_('artifact_attestation_reported', { ...data, is_compliant })).toBe(expected)
  })
})

describe('a kind from a later version', () => {
  it('is shown by its name', () => {
    expect(describe_('flow_{actor}_moved', {})).toBe('mira: flow  actor  moved')
    expect(describe_('constructor', {})).toBe('mira: constructor')
  })
})
