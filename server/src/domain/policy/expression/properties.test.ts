// Properties of every expression: printing and parsing it again changes nothing, and absence alone never waives.

import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { type EvaluationContext, evaluateExpression } from './evaluate.ts'
import {
  type Comparison,
  type Expression,
  type Literal,
  listChildren,
  type Reference,
  type Tag,
} from './expression.ts'
import { parseExpression } from './parser.ts'
import { print, stripOffsets } from './print.testing.ts'

const offset = 0
const literal: fc.Arbitrary<Literal> = fc
  .oneof(
    fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', '"', "'", '\\', ' ', 'ü', '😀', '1') }),
    fc.integer({ min: -1_000, max: 1_000 }).map(number => number / 4),
    fc.boolean(),
  )
  .map(value => ({ kind: 'literal', value, offset }))
const makeTag = (key: fc.Arbitrary<string>): fc.Arbitrary<Tag> =>
  key.map(text => ({ kind: 'tag', key: text, offset }))
const reference: fc.Arbitrary<Reference> = fc
  .constantFrom<Reference['name']>('flow.name', 'artifact.name', 'artifact.fingerprint')
  .map(name => ({ kind: 'reference', name, offset }))
const operator = fc.constantFrom<Comparison>('==', '!=', '<', '>', '<=', '>=')

// Conditions over the given names.
function makeConditions(names: fc.Arbitrary<Reference | Tag>, withExists: boolean): fc.Arbitrary<Expression> {
  const item = fc.oneof(literal, names)
  const list = fc.array(item, { maxLength: 3 }).map((items): Expression => ({ kind: 'list', items, offset }))
  const { condition } = fc.letrec<{ condition: Expression; operand: Expression }>(tie => ({
    operand: fc.oneof({ maxDepth: 3 }, item, list, tie('condition')),
    condition: fc.oneof(
      { maxDepth: 4, depthSize: 'large' },
      fc.boolean().map((value): Expression => ({ kind: 'literal', value, offset })),
      names.map(
        (argument): Expression =>
          withExists
            ? { kind: 'exists', argument, offset }
            : { kind: 'matches', input: argument, pattern: 'a', regex: RE2JS.compile('a'), offset },
      ),
      fc
        .record({ left: tie('operand'), operator, right: tie('operand') })
        .map((parts): Expression => ({ kind: 'compare', ...parts, offset })),
      fc
        .record({ left: fc.oneof(item, tie('condition')), list, negated: fc.boolean() })
        .map((parts): Expression => ({ kind: 'membership', ...parts, offset }) as Expression),
      fc
        .record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          operands: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }),
        })
        .map((parts): Expression => ({ ...parts, offset })),
      tie('condition').map((operand): Expression => ({ kind: 'not', operand, offset })),
    ),
  }))
  return condition
}

const anyKey = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'abZ09-_.~') })

describe('for every expression', () => {
  it('parse(print(tree)) is the tree', () => {
    fc.assert(
      fc.property(makeConditions(fc.oneof(reference, makeTag(anyKey)), true), tree => {
        const parsed = parseExpression(print(tree))
        expect(parsed.ok ? stripOffsets(parsed.expression) : parsed.problem).toEqual(stripOffsets(tree))
      }),
      { numRuns: 1_000 },
    )
  })

  it('never throws on any text, and points into it', () => {
    const piece = fc.constantFrom(
      ...[
        'flow',
        'flow.name',
        'flow.tags.',
        'a',
        'exists',
        'matches',
        '(',
        ')',
        '[',
        ']',
        ',',
        ' ',
        '"',
        "'",
        '\\',
      ],
      ...['==', '<', 'in', ' not ', ' and ', ' or ', '1', '-', '.', '=', 'null', '}}', '\n', '😀', '"^a"'],
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 20 }).map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(text, written => {
        const parsed = parseExpression(written)
        if (parsed.ok) return
        expect(parsed.problem.offset).toBeGreaterThanOrEqual(0)
        expect(parsed.problem.offset).toBeLessThanOrEqual(written.length)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('for every exception', () => {
  const untagged: EvaluationContext = {
    flow: { name: 'build', tags: {} },
    artifact: { name: 'app', fingerprint: 'f' },
  }
  const missing = makeTag(fc.constantFrom('a', 'b'))

  // "True because of a null" means: true, but not for every value that the tags could have.
  it('one that is true for an untagged flow is true for any tags, unless it uses exists()', () => {
    const tags = fc.record({ a: fc.constantFrom('a', '1', '', 'z'), b: fc.constantFrom('a', '2', 'true') })
    fc.assert(
      fc.property(makeConditions(missing, false), tags, (tree, given) => {
        if (evaluateExpression(tree, untagged).value !== true) return
        const tagged = { ...untagged, flow: { name: 'build', tags: given } }
        // An error needs a value, so absence did not cause it.
        const evaluation = evaluateExpression(tree, tagged)
        expect(evaluation.error !== undefined || evaluation.value).toBe(true)
      }),
      { numRuns: 3_000 },
    )
  })

  it('nothing waives an untagged flow if every part looks at a tag', () => {
    const hasTagOperand = (tree: Expression): boolean =>
      tree.kind === 'compare' || tree.kind === 'membership' || tree.kind === 'matches'
        ? listChildren(tree).some(child => child.kind === 'tag')
        : tree.kind !== 'literal' && listChildren(tree).every(hasTagOperand)
    fc.assert(
      fc.property(makeConditions(missing, false).filter(hasTagOperand), tree => {
        expect(evaluateExpression(tree, untagged).value).not.toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
