// GET /environments/{org}/{env_name}/timeline and /environment-timelines/{org}: times in which an environment was stale,
// also in the past.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, makeEnvironment, putPolicy, report } from '../../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'

const HOUR_S = 3600
const PASSES_ALL = '_schema: https://waybill.example/v1\n'
const PASSES_NONE = `${PASSES_ALL}artifacts:\n  provenance:\n    required: true\n`

let app: TestApp
let start: number
const wait = async (hours: number) => {
  app.clock.advance(hours * HOUR_S * 1000)
  await app.evaluate()
}

// Reports at 0, 5 and 6 hours; stale from 3 to 5 and, since it is 10 hours later, from 9 on. steady reports every hour.
beforeAll(async () => {
  app = await startTestApp()
  start = app.clock.now().getTime() / 1000
  await putPolicy(app, 'all', PASSES_ALL)
  await putPolicy(app, 'none', PASSES_NONE)
  for (const name of ['good', 'bad', 'free', 'steady']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'both', { type: 'logical', included_environments: ['good', 'steady'] })
  await attach(app, 'good', 'all')
  await attach(app, 'bad', 'none')
  await attach(app, 'steady', 'all')
  for (let hour = 0; hour < 10; hour++) {
    if ([0, 5, 6].includes(hour))
      for (const name of ['good', 'bad', 'free']) await report(app, name, hour === 6 ? 'b' : 'a')
    await report(app, 'steady', 'a')
    await wait(1)
  }
})
afterAll(() => app.stop())

interface Bucket {
  compliant_seconds: number
  non_compliant_seconds: number
  unknown_seconds: number
  stale_seconds: number
}

const read = async (environment: string, query = '') =>
  (await app.reader.get(`/environments/acme/${environment}/timeline?buckets=10${query}`)).body
/** Hours compliant, non-compliant, unknown and stale. */
const summarize = (buckets: Bucket[]) =>
  (['compliant_seconds', 'non_compliant_seconds', 'unknown_seconds', 'stale_seconds'] as const).map(
    field => buckets.reduce((sum, bucket) => sum + bucket[field], 0) / HOUR_S,
  )
const toHours = ({ silences }: { silences: { from: number; to: number | null }[] }) =>
  silences.map(({ from, to }) => [(from - start) / HOUR_S, to && (to - start) / HOUR_S])

describe('200', () => {
  it('says when the environment was stale, and counts that time as unknown, not as compliant', async () => {
    const body = await read('good')
    expect(toHours(body)).toEqual([
      [3, 5],
      [9, null],
    ])
    expect(body.silences_known_since).toBe(start)
    expect(summarize(body.buckets)).toEqual([7, 0, 3, 3])
    expect(body.buckets.map((bucket: Bucket) => bucket.stale_seconds / HOUR_S)).toEqual([
      0, 0, 0, 1, 1, 0, 0, 0, 0, 1,
    ])
  })

  it('does not hide a violation, and tells stale from unknown', async () => {
    expect(summarize((await read('bad')).buckets)).toEqual([0, 10, 0, 0])
    expect(summarize((await read('free')).buckets)).toEqual([0, 0, 10, 3])
    expect(summarize((await read('steady')).buckets)).toEqual([10, 0, 0, 0])
  })

  it('counts the silences of the members of a logical environment', async () => {
    const body = await read('both')
    expect(toHours(body)).toEqual([
      [3, 5],
      [9, null],
    ])
  })

  it('cuts silences at the start of the period', async () => {
    expect(toHours(await read('good', `&from=${start + 4 * HOUR_S}&to=${start + 8 * HOUR_S}`))).toEqual([
      [4, 5],
    ])
  })

  it('is the same for several environments at once', async () => {
    const { body } = await app.reader.get(
      `/environment-timelines/acme?environment=good&environment=free&from=${start}&buckets=10`,
    )
    expect(body.timelines.map(({ buckets }: { buckets: Bucket[] }) => summarize(buckets))).toEqual([
      [0, 0, 10, 3],
      [7, 0, 3, 3],
    ])
  })
})
