import { describe, expect, it } from 'vitest'
import { evaluateRules, type RuleOutcome } from './evaluate.ts'

const makeSuccess = (...values: unknown[]): RuleOutcome => ({ ok: true, values })
const makeFailure = (reason: string): RuleOutcome => ({ ok: false, reason })

describe('one rule', () => {
  it.each<[string, RuleOutcome, boolean, string]>([
    ['true', makeSuccess(true), true, 'true from 1 rule'],
    ['false', makeSuccess(false), false, 'true from 0 of 1 rule: .a yields false'],
    ['null', makeSuccess(null), false, 'true from 0 of 1 rule: .a yields null'],
    ['the text true', makeSuccess('true'), false, 'true from 0 of 1 rule: .a yields "true"'],
    ['the number 1', makeSuccess(1), false, 'true from 0 of 1 rule: .a yields 1'],
    ['true twice', makeSuccess(true, true), false, 'true from 0 of 1 rule: .a yields true, true'],
    ['true and then false', makeSuccess(true, false), false, 'true from 0 of 1 rule: .a yields true, false'],
    ['nothing', makeSuccess(), false, 'true from 0 of 1 rule: .a yields nothing'],
    [
      'an error',
      makeFailure('fails: no such thing'),
      false,
      'true from 0 of 1 rule: .a fails: no such thing',
    ],
    ['a list of true', makeSuccess([true]), false, 'true from 0 of 1 rule: .a yields [true]'],
  ])('that yields %s', (_, outcome, is_compliant, found) => {
    const verdict = evaluateRules([{ rule: '.a', outcome }])
    expect(verdict).toMatchObject({ is_compliant, found, expected: 'true from 1 rule' })
    expect(verdict.rules).toHaveLength(1)
    expect(verdict.rules[0]?.satisfied).toBe(is_compliant)
  })

  it('shortens a long value', () => {
    const { rules } = evaluateRules([{ rule: '.', outcome: makeSuccess('x'.repeat(1000)) }])
    expect(rules[0]?.reason).toBe(`yields "${'x'.repeat(99)}…`)
  })
})

describe('several rules', () => {
  it.each<[string, RuleOutcome[], boolean, string]>([
    ['none', [], true, 'data that fits the type'],
    ['all true', [makeSuccess(true), makeSuccess(true)], true, 'true from 2 rules'],
    [
      'the last one false',
      [makeSuccess(true), makeSuccess(false)],
      false,
      'true from 1 of 2 rules: .1 yields false',
    ],
    [
      'none true',
      [makeFailure('stops'), makeSuccess(0)],
      false,
      'true from 0 of 2 rules: .0 stops; .1 yields 0',
    ],
    [
      'many false',
      Array.from({ length: 7 }, () => makeSuccess(false)),
      false,
      'true from 0 of 7 rules: .0 yields false; .1 yields false; .2 yields false; .3 yields false; .4 yields false; and 2 more',
    ],
  ])('%s', (_, outcomes, is_compliant, found) => {
    const verdict = evaluateRules(outcomes.map((outcome, i) => ({ rule: `.${i}`, outcome })))
    expect(verdict).toMatchObject({ is_compliant, found })
    expect(verdict.rules.map(({ rule }) => rule)).toEqual(outcomes.map((_, i) => `.${i}`))
  })
})
