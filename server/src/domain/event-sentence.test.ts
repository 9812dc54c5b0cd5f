import { describe, expect, it } from 'vitest'
import { type DescribedEvent, joinSentence, writeSentence } from './event-sentence.ts'

const NOTHING = {
  flow_name: null,
  trail_name: null,
  environment_name: null,
  policy_name: null,
  control: null,
}
const makeEvent = (event: Partial<DescribedEvent>): DescribedEvent => ({
  ...NOTHING,
  actor: 'mira',
  data: {},
  ...event,
})
const write = (template: string, event: Partial<DescribedEvent>) =>
  joinSentence(writeSentence(template, makeEvent(event)))

describe('a sentence', () => {
  it.each<[string, string, Partial<DescribedEvent>, string]>([
    ['names the actor', '{actor} came', {}, 'mira came'],
    ['has the name of the time', '{flow}', { data: { flow_name: 'old' }, flow_name: 'new' }, 'old'],
    ['has the present name otherwise', '{flow}', { flow_name: 'new' }, 'new'],
    ['says what is missing', 'to {flow}', {}, 'to (unknown)'],
    ['drops an optional part', 'a[ of {trail}] b', {}, 'a b'],
    ['keeps an optional part', 'a[ of {trail}] b', { trail_name: 't' }, 'a of t b'],
    ['drops a part if one of two is missing', 'a[ {trail} {flow}]', { trail_name: 't' }, 'a'],
    ['lists', '{added}', { data: { added: ['x', 'y'] } }, 'x, y'],
    ['has no empty list', 'a[ {added}]', { data: { added: [] } }, 'a'],
    ['counts', '{count}', { data: { count: 0 } }, '0'],
    ['prints an object', '{what}', { data: { what: { a: 1 } } }, '{"a":1}'],
    [
      'shortens a fingerprint',
      '{artifact}',
      { data: { artifact_fingerprint: 'a'.repeat(64) } },
      'a'.repeat(12),
    ],
    [
      'prefers the name of an artifact',
      '{artifact}',
      { data: { artifact_name: 'i:1', artifact_fingerprint: 'b' } },
      'i:1',
    ],
    ['says compliant', '{verdict}', { data: { is_compliant: true } }, 'compliant'],
    ['says non-compliant', '{verdict}', { data: { compliant: false } }, 'non-compliant'],
    ['never guesses a verdict', '{verdict}', { data: { is_compliant: null } }, 'unknown'],
    ['reads no verdict from text', '{verdict}', { data: { is_compliant: 'true' } }, 'unknown'],
    ['has no property of all objects', '{constructor}', {}, '(unknown)'],
    ['cuts what is too long', '{name}', { data: { name: 'x'.repeat(999) } }, `${'x'.repeat(299)}…`],
  ])('%s', (_, template, event, expected) => {
    expect(write(template, event)).toBe(expected)
  })

  it('never reads a value as a template', () => {
    const name = '{actor}[ {flow}]<b>$&'
    expect(writeSentence('x {flow}[ y]', makeEvent({ flow_name: name }))).toEqual([
      { text: 'x ', about: null },
      { text: name, about: 'flow' },
      { text: ' y', about: null },
    ])
  })
})
