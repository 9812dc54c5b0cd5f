import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalText, contentKey, detailKey, detailOf } from './canonical.ts'
import type { RunningArtifact } from './reported.ts'

const artifact = (artifact_key: string, times: number[], name = 'app'): RunningArtifact => ({
  artifact_key,
  fingerprint: artifact_key,
  name,
  instance_count: times.length,
  instances: {
    creation_timestamps: times,
    pods: null,
    container_task_context: null,
    serverless_run_context: null,
    app_context: null,
  },
})

// content without scaling, content with it, detail
const table: [string, RunningArtifact[], RunningArtifact[], [boolean, boolean, boolean]][] = [
  ['nothing and nothing', [], [], [true, true, true]],
  [
    'another order',
    [artifact('a', [1]), artifact('b', [1])],
    [artifact('b', [1]), artifact('a', [1])],
    [true, true, true],
  ],
  ['another artifact', [artifact('a', [1])], [artifact('b', [1])], [false, false, false]],
  ['one more', [artifact('a', [1])], [artifact('a', [1]), artifact('b', [1])], [false, false, false]],
  ['another count', [artifact('a', [1])], [artifact('a', [1, 2])], [true, false, false]],
  ['another time', [artifact('a', [1])], [artifact('a', [2])], [true, true, false]],
  ['another name', [artifact('a', [1], 'x')], [artifact('a', [1], 'y')], [true, true, false]],
  [
    'a separator in a key',
    [artifact('a","b', [1])],
    [artifact('a', [1]), artifact('b', [1])],
    [false, false, false],
  ],
]

describe.each(table)('%s', (_, left, right, [content, scaled, detail]) => {
  it('as content', () => expect(contentKey(left, false) === contentKey(right, false)).toBe(content))
  it('as content with scaling', () => expect(contentKey(left, true) === contentKey(right, true)).toBe(scaled))
  it('in detail', () => expect(detailKey(left) === detailKey(right)).toBe(detail))
})

it('writes the detail of one artifact', () => {
  expect(detailOf(artifact('a', [1, 2]))).toBe(
    '{"instances":{"app_context":null,"container_task_context":null,"creation_timestamps":[1,2],' +
      '"pods":null,"serverless_run_context":null},"name":"app"}',
  )
})

it('keeps an own __proto__ key', () => {
  expect(canonicalText(JSON.parse('{"b":1,"__proto__":{"z":1,"y":[]}}'))).toBe(
    '{"__proto__":{"y":[],"z":1},"b":1}',
  )
})

it('writes equal values alike, and nothing else', () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, turned(inner)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(canonicalText(turned(value))).toBe(canonicalText(value))
      expect(JSON.parse(canonicalText(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
