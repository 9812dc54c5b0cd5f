// Which headers name a caller's trace.
import { describe, expect, it } from 'vitest'
import { decideSampling } from './sampling.ts'
import { parseTraceparent } from './traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('a caller’s trace', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`00-${TRACE}-${SPAN}-fe`, false],
    [`01-${TRACE}-${SPAN}-01`, true],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, true],
  ])('is named by %s', (header, is_sampled) => {
    expect(parseTraceparent(header)).toEqual({ trace_id: TRACE, span_id: SPAN, is_sampled })
  })

  it.each([
    undefined,
    '',
    'junk',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01.`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `cc-${TRACE}-${SPAN}-01-${'a'.repeat(1_000)}`,
    [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  ])('is not named by %j', header => {
    expect(parseTraceparent(header)).toBeUndefined()
  })
})

describe('a request is traced', () => {
  const yes = { trace_id: TRACE, span_id: SPAN, is_sampled: true }
  const no = { ...yes, is_sampled: false }
  it.each([
    ['by chance, if no caller has a say', { ratio: 0.5, asks_caller: true }, undefined, [true, false]],
    ['by chance, although the caller traces it', { ratio: 0.5, asks_caller: true }, yes, [true, false]],
    ['never, if the caller does not', { ratio: 1, asks_caller: true }, no, [false, false]],
    ['whatever the caller does, if nobody asks', { ratio: 1, asks_caller: false }, no, [true, true]],
    ['never, if the operator wants none', { ratio: 0, asks_caller: true }, yes, [false, false]],
  ])('%s', (_, sampler, caller, decisions) => {
    expect([0, 0.5].map(drawn => decideSampling(sampler, caller, () => drawn))).toEqual(decisions)
  })
})
