// Runs tests in a time zone far from UTC with an odd offset, so that results do not depend on the machine.
import { afterAll, beforeAll, expect } from 'vitest'

const FAR_AWAY = 'Pacific/Chatham'

/** Call it in a suite or a file: all its tests run in the time zone of the Chatham Islands. */
export function setTimeZoneFarFromUtc(): void {
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
