import { expect, it } from 'vitest'
import { allowForBody } from './exchange.ts'

it.each([
  ['nothing', 0, 30],
  ['a small report', 16 * 1024, 31],
  ['an attachment over the slowest line', 3 * 1024 * 1024, 30 + 192],
  ['the part of a larger one that the system may hold', 64 * 1024 * 1024, 30 + 256],
])('a body of %s may be sent before the service answers', (_, bytes, seconds) => {
  expect(allowForBody(30_000, bytes)).toBe(seconds * 1000)
})
