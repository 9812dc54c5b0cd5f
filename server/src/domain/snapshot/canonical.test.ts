import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalText, detailOf } from './canonical.ts'
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

it.each([
  ['another count', artifact('a', [1, 2]), false],
  ['another time', artifact('a', [2]), false],
  ['another name', artifact('a', [1], 'other'), false],
  ['the same', artifact('a', [1]), true],
])('tells %s in detail', (_, other, isSame) => {
  expect(detailOf(artifact('a', [1])) === detailOf(other)).toBe(isSame)
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
