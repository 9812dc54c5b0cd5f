// Tests whose answers must not depend on where the machine stands: far from UTC, and by no whole hour.
import { afterAll, beforeAll, expect } from 'vitest'

const FAR_AWAY = 'Pacific/Chatham'

/** Call it in a suite or a file: every test in it runs with the clock of the Chatham Islands. */
export function farFromUtc(): void {
  const zone = process.env.TZ
  beforeAll(() => {
    process.env.TZ = FAR_AWAY
    expect(new Date('2026-01-15T12:00:00Z').getTimezoneOffset()).toBe(-825)
  })
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
}
