// Queries with a period that no trend accepts: the query, the field that the error names, and its message.
import { expect } from 'vitest'

export const WRONG_PERIODS = [
  ['from=x', 'from', 'Input should be a time in ISO 8601 or epoch seconds [input: x]'],
  ['from=2020-01-01', 'from', 'The period should be at most 366 days long'],
  ['from=2026-03-02&to=2026-03-01', 'from', 'The period should begin before it ends'],
  ['buckets=0', 'buckets', expect.any(String)],
] as const
