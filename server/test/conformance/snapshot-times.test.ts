// Section 4.5: snapshots by a time relative to the request, each next to one that a different calculation would find.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { setTimeZoneFarFromUtc } from '../time-zone.ts'

setTimeZoneFarFromUtc()

const NOW = '2026-03-31T10:20:30Z'
/** The times of the snapshots, from the first on. */
const TAKEN_AT = [
  '2025-11-30T10:20:30Z',
  '2025-12-01T00:00:00Z',
  '2025-12-31T10:20:30Z',
  '2026-02-28T10:20:30Z',
  '2026-03-01T00:00:00Z',
  '2026-03-17T10:20:30Z',
  '2026-03-30T10:20:30Z',
]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  setClock(TAKEN_AT[0] ?? '')
  await makeEnvironment(app, 'prod')
  await reportAt('prod', ...TAKEN_AT)
  setClock(NOW)
})
afterAll(() => app.stop())

function setClock(time: string): void {
  app.clock.advance(Date.parse(time) - app.clock.now().getTime())
}

async function reportAt(environment: string, ...times: string[]): Promise<void> {
  for (const [i, time] of times.entries()) {
    setClock(time)
    await report(app, environment, `a${i}`)
  }
}

const get = (expression: string, environment = 'prod') =>
  app.reader.get(`/snapshots/acme/${environment}/${encodeURIComponent(expression)}`)
const readTimestamp = async (expression: string, environment = 'prod') => {
  const { status, body } = await get(expression, environment)
  return status === 200 ? `${new Date(body.timestamp * 1000).toISOString().slice(0, 19)}Z` : body.message
}

describe('a snapshot', () => {
  it.each([
    [1, '2026-03-30T10:20:30Z'],
    [2, '2026-03-17T10:20:30Z'],
    [14, '2026-03-17T10:20:30Z'],
    [15, '2026-03-01T00:00:00Z'],
    [31, '2026-02-28T10:20:30Z'],
    [32, '2025-12-31T10:20:30Z'],
  ])('of %i days ago is that of %s', async (days, time) => {
    expect(await readTimestamp(`@{${days}.days.ago}`)).toBe(time)
  })

  it.each([
    [1, '2026-03-17T10:20:30Z'],
    [2, '2026-03-17T10:20:30Z'],
    [3, '2026-03-01T00:00:00Z'],
    [5, '2025-12-31T10:20:30Z'],
  ])('of %i weeks ago is that of %s', async (weeks, time) => {
    expect(await readTimestamp(`@{${weeks}.weeks.ago}`)).toBe(time)
  })

  it.each([
    [1, '2026-02-28T10:20:30Z'],
    [2, '2025-12-31T10:20:30Z'],
    [3, '2025-12-31T10:20:30Z'],
    [4, '2025-11-30T10:20:30Z'],
  ])('of %i months ago is that of %s', async (months, time) => {
    expect(await readTimestamp(`@{${months}.months.ago}`)).toBe(time)
  })

  it('of months ago uses the last day of a shorter month', async () => {
    expect(await readTimestamp('@{1.months.ago}')).toBe('2026-02-28T10:20:30Z')
    expect(await readTimestamp('@{4.months.ago}')).toBe('2025-11-30T10:20:30Z')
    await makeEnvironment(app, 'leap')
    await reportAt('leap', '2028-02-28T10:20:30Z', '2028-02-29T10:20:30Z', '2028-03-01T00:00:00Z')
    setClock('2028-03-31T10:20:30Z')
    expect(await readTimestamp('@{1.months.ago}', 'leap')).toBe('2028-02-29T10:20:30Z')
    setClock(NOW)
  })

  it.each(['0', '00', '-1', '+1', '1.5', '1e1', 'one', ''])(
    'of %j days ago is refused, and of any unit',
    async count => {
      for (const unit of ['hours', 'days', 'weeks', 'months']) {
        const expression = `@{${count}.${unit}.ago}`
        const { status, body } = await get(expression)
        expect([status, body]).toEqual([
          400,
          { message: expect.stringContaining(`Bad snappish ${expression}: a snapshot is `) },
        ])
      }
    },
  )

  it.each(['years', 'quarters', 'fortnights', 'minutes', 'seconds', 'Days', 'dayss', 'd', ''])(
    'of 1 %j ago is refused',
    async unit => {
      const expression = `@{1.${unit}.ago}`
      const { status, body } = await get(expression)
      expect([status, body]).toEqual([
        400,
        { message: expect.stringContaining(`Bad snappish ${expression}: a snapshot is `) },
      ])
    },
  )
})
