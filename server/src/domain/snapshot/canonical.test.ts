import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatDetail, toCanonicalJson } from './canonical.ts'
import type { RunningArtifact } from './reported.ts'

const makeArtifact = (artifact_key: string, times: number[], name = 'app'): RunningArtifact => ({
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
  ['another count', makeArtifact('a', [1, 2]), false],
  ['another time', makeArtifact('a', [2]), false],
  ['another name', makeArtifact('a', [1], 'other'), false],
  ['the same', makeArtifact('a', [1]), true],
])('describes %s in detail', (_, other, isSame) => {
  expect(formatDetail(makeArtifact('a', [1])) === formatDetail(other)).toBe(isSame)
})

it('keeps an own __proto__ key', () => {
  expect(toCanonicalJson(JSON.parse('{"b":1,"__proto__":{"z":1,"y":[]}}'))).toBe(
    '{"__proto__":{"y":[],"z":1},"b":1}',
  )
})

it('writes equal values alike, and nothing else', () => {
  const reverseKeys = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reverseKeys)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, reverseKeys(inner)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(toCanonicalJson(reverseKeys(value))).toBe(toCanonicalJson(value))
      expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
