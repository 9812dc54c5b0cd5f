import { describe, expect, it } from 'vitest'
import {
  type Evaluation,
  type EvaluationContext,
  evaluateExpression,
  listMissingReferences,
} from './evaluate.ts'
import { parseExpression } from './parser.ts'

const ARTIFACT = { name: 'registry/app:1', fingerprint: 'abc' }
const TAGS = {
  env: 'prod',
  priority: '2',
  ten: '10',
  debt: '-1.5',
  word: 'high',
  empty: '',
  yes: 'true',
  'my-key.v2': 'x',
  wide: '～',
  emoji: '😀',
}
const TAGGED: EvaluationContext = { flow: { name: 'build', tags: TAGS }, artifact: ARTIFACT }
const FLOWLESS: EvaluationContext = { flow: null, artifact: ARTIFACT }

const parse = (text: string) => {
  const parsed = parseExpression(text)
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.sentence}`)
  return parsed.expression
}
const evaluate = (text: string, context = TAGGED): Evaluation => evaluateExpression(parse(text), context)

describe('with all values present', () => {
  it.each<[string, boolean]>([
    [`flow.name == 'build'`, true],
    [`flow.name != 'build'`, false],
    [`flow.tags.env == "prod" and artifact.fingerprint == 'abc'`, true],
    [`flow.tags.my-key.v2 == 'x'`, true],
    [`flow.tags.priority < 3`, true],
    [`flow.tags.ten < 3`, false],
    [`flow.tags.ten < '3'`, true],
    [`flow.tags.ten >= 10`, true],
    [`flow.tags.ten <= 10.0`, true],
    [`3 > flow.tags.priority`, true],
    [`flow.tags.debt == -1.5`, true],
    [`flow.tags.debt < 0`, true],
    [`flow.tags.word == 3`, false],
    [`flow.tags.word != 3`, true],
    [`flow.tags.empty == 0`, false],
    [`flow.tags.yes == true`, false],
    [`flow.tags.yes == 'true'`, true],
    [`true == 1`, false],
    [`'a' < 'b'`, true],
    [`'a' < 'B'`, false],
    [`'a' < 'ab'`, true],
    [`'a' >= 'a'`, true],
    // By code point: U+FF5E comes before U+1F600, though its UTF-16 unit is larger.
    [`flow.tags.wide < flow.tags.emoji`, true],
    [`'x😀' > 'x～'`, true],
    [`[1, 'a'] == ['1', 'a']`, true],
    [`[1] != [1, 2]`, true],
    [`[] == []`, true],
    [`[1] == 1`, false],
    [`flow.tags.priority in [1, 2]`, true],
    [`flow.tags.priority not in [1, 2]`, false],
    [`flow.name in []`, false],
    [`flow.name not in []`, true],
    [`'build' in ['a', flow.name]`, true],
    [`exists(flow) and exists(flow.name) and exists(flow.tags.empty) and exists(artifact.name)`, true],
    [`exists(flow.tags.nope)`, false],
    [`exists(flow.tags.toString)`, false],
    [`exists(flow.tags.__proto__)`, false],
    [`matches(artifact.name, 'app')`, true],
    [`matches(artifact.name, '^app')`, false],
    [`matches(artifact.name, "^registry/\\w+:\\d$")`, true],
    [`(flow.name == 'x') == false`, true],
    [`not false and (false or true)`, true],
    [`true or false and false`, true],
    [`not true or true`, true],
  ])('%s', (text, value) => {
    expect(evaluate(text)).toEqual({ value })
  })
})

describe('a missing value', () => {
  it.each<[string, boolean | null]>([
    [`flow.tags.nope == 'x'`, null],
    [`flow.tags.nope != 'x'`, null],
    [`flow.tags.nope == flow.tags.nope`, null],
    [`flow.tags.nope < 3`, null],
    [`flow.tags.nope in ['x']`, null],
    [`flow.tags.nope in []`, null],
    [`flow.tags.nope not in ['x']`, null],
    [`flow.tags.nope not in []`, null],
    [`'x' in [flow.tags.nope, 'x']`, true],
    [`'x' in [flow.tags.nope]`, null],
    [`'x' not in [flow.tags.nope]`, null],
    [`[flow.tags.nope] != ['x']`, null],
    [`matches(flow.tags.nope, '')`, null],
    [`not (flow.tags.nope == 'x')`, null],
    [`not (flow.tags.nope != 'x')`, null],
    [`not (flow.tags.nope in ['x'])`, null],
    [`not matches(flow.tags.nope, 'x')`, null],
    [`not not (flow.tags.nope == 'x')`, null],
    [`(flow.tags.nope == 'x') == false`, null],
    [`(flow.tags.nope == 'x') in [false]`, null],
    [`not (flow.tags.nope == 'x' and true)`, null],
    [`flow.tags.nope == 'x' and false`, false],
    [`not (flow.tags.nope == 'x' and false)`, true],
    [`flow.tags.nope == 'x' or true`, true],
    [`true or flow.tags.nope == 'x'`, true],
    [`not (flow.tags.nope == 'x' or false)`, null],
    [`exists(flow.tags.nope)`, false],
    [`not exists(flow.tags.nope)`, true],
    [`exists(flow.tags.nope) and flow.tags.nope != 'x'`, false],
    [`not exists(flow.tags.nope) or flow.tags.nope != 'x'`, true],
  ])('%s', (text, value) => expect(evaluate(text)).toEqual({ value }))

  it.each<[string, boolean | null]>([
    ['exists(flow)', false],
    ['exists(flow.name)', false],
    ['exists(flow.tags.env)', false],
    ['not exists(flow)', true],
    [`flow.name != 'x'`, null],
    [`not (flow.name == 'x')`, null],
    [`artifact.name == 'registry/app:1'`, true],
  ])('without a flow: %s', (text, value) => expect(evaluate(text, FLOWLESS)).toEqual({ value }))

  it.each<[string, string[]]>([
    [`flow.tags.nope == 'x' and flow.tags.env == 'prod'`, ['flow.tags.nope']],
    [`flow.tags.nope in ['x'] or matches(flow.tags.none, 'x')`, ['flow.tags.nope', 'flow.tags.none']],
    [`'x' in [flow.tags.nope, flow.tags.nope]`, ['flow.tags.nope']],
    [`exists(flow.tags.nope)`, []],
    [`flow.tags.env == 'prod'`, []],
  ])('is named: %s', (text, missing) => expect(listMissingReferences(parse(text), TAGGED)).toEqual(missing))
})

describe('errors', () => {
  const error = "flow.tags.word ('high') and 3 have no order, so '<' cannot compare them"
  it.each<[string, Evaluation]>([
    ['flow.tags.word < 3', { error }],
    ['not (flow.tags.word < 3)', { error }],
    ['(flow.tags.word < 3) == true', { error }],
    ['false == (flow.tags.word < 3)', { error }],
    ['(flow.tags.word < 3) in [true]', { error }],
    ['true and flow.tags.word < 3', { error }],
    ['false or flow.tags.word < 3', { error }],
    ['flow.tags.word < 3 or true', { error }],
    ['flow.tags.word < 3 and false', { error }],
    ['false and flow.tags.word < 3', { value: false }],
    ['true or flow.tags.word < 3', { value: true }],
    ['3 >= flow.name', { error: "3 and flow.name ('build') have no order, so '>=' cannot compare them" }],
    [
      'true < false',
      { error: "the condition true and the condition false have no order, so '<' cannot compare them" },
    ],
    ['[1] > [2]', { error: "a list and a list have no order, so '>' cannot compare them" }],
    [
      'flow.tags.empty < 1',
      { error: "flow.tags.empty ('') and 1 have no order, so '<' cannot compare them" },
    ],
  ])('%s', (text, evaluation) => {
    expect(evaluate(text)).toEqual(evaluation)
  })

  it('are not hidden by what is unknown', () => {
    expect(evaluate(`flow.tags.nope == 'x' and flow.tags.word < 3`)).toEqual({ error })
  })

  it('show a value without control characters and not endlessly', () => {
    const tags = { word: `\u001b[31m${'x'.repeat(500)}` }
    const context = { flow: { name: 'build', tags }, artifact: ARTIFACT }
    const error = evaluate('flow.tags.word < 3', context).error ?? ''
    expect(error).not.toContain('\u001b')
    expect(error.length).toBeLessThan(200)
  })
})
