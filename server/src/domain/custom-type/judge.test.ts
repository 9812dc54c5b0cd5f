import { describe, expect, it } from 'vitest'
import { judgeCustom, type RuleOutcome } from './judge.ts'

const yields = (...values: unknown[]): RuleOutcome => ({ ok: true, values })
const fails = (reason: string): RuleOutcome => ({ ok: false, reason })

describe('one rule', () => {
  it.each<[string, RuleOutcome, boolean, string]>([
    ['true', yields(true), true, 'true from 1 rule'],
    ['false', yields(false), false, 'true from 0 of 1 rule: .a yields false'],
    ['null', yields(null), false, 'true from 0 of 1 rule: .a yields null'],
    ['the text true', yields('true'), false, 'true from 0 of 1 rule: .a yields "true"'],
    ['the number 1', yields(1), false, 'true from 0 of 1 rule: .a yields 1'],
    ['true twice', yields(true, true), false, 'true from 0 of 1 rule: .a yields true, true'],
    ['true and then false', yields(true, false), false, 'true from 0 of 1 rule: .a yields true, false'],
    ['nothing', yields(), false, 'true from 0 of 1 rule: .a yields nothing'],
    ['an error', fails('fails: no such thing'), false, 'true from 0 of 1 rule: .a fails: no such thing'],
    ['a list of true', yields([true]), false, 'true from 0 of 1 rule: .a yields [true]'],
  ])('that yields %s', (_, outcome, is_compliant, found) => {
    const verdict = judgeCustom([{ rule: '.a', outcome }])
    expect(verdict).toMatchObject({ is_compliant, found, expected: 'true from 1 rule' })
    expect(verdict.rules).toHaveLength(1)
    expect(verdict.rules[0]?.satisfied).toBe(is_compliant)
  })

  it('shows a glance of a long value', () => {
    const { rules } = judgeCustom([{ rule: '.', outcome: yields('x'.repeat(1000)) }])
    expect(rules[0]?.reason).toBe(`yields "${'x'.repeat(99)}…`)
  })
})

describe('several rules', () => {
  it.each<[string, RuleOutcome[], boolean, string]>([
    ['none', [], true, 'data that fits the type'],
    ['all true', [yields(true), yields(true)], true, 'true from 2 rules'],
    ['the last one false', [yields(true), yields(false)], false, 'true from 1 of 2 rules: .1 yields false'],
    ['none true', [fails('stops'), yields(0)], false, 'true from 0 of 2 rules: .0 stops; .1 yields 0'],
    [
      'many false',
      Array.from({ length: 7 }, () => yields(false)),
      false,
      'true from 0 of 7 rules: .0 yields false; .1 yields false; .2 yields false; .3 yields false; .4 yields false; and 2 more',
    ],
  ])('%s', (_, outcomes, is_compliant, found) => {
    const verdict = judgeCustom(outcomes.map((outcome, i) => ({ rule: `.${i}`, outcome })))
    expect(verdict).toMatchObject({ is_compliant, found })
    expect(verdict.rules.map(({ rule }) => rule)).toEqual(outcomes.map((_, i) => `.${i}`))
  })
})
