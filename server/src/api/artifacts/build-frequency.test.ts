import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'

const HOUR_MS = 3_600_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'cd', 'gone']) await makeFlow(app, flow)
  await reportBuild('ci', 'a')
  await reportBuild('cd', 'b')
  await reportBuild('ci', 'c', 'acme/frontend')
  await reportBuild('gone', 'd')
  await app.admin.put('/flows/acme/gone/archive')
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('e'), nameTrail('run-e')))
  app.clock.advance(12 * HOUR_MS - 1)
  await reportBuild('ci', 'f')
  app.clock.advance(1)
  for (const start of ['1', '2', '3']) await reportBuild('ci', start)
  app.clock.advance(36 * HOUR_MS)
  await reportBuild('ci', 'a')
})
afterAll(() => app.stop())

function reportBuild(flow: string, start: string, name = 'acme/backend') {
  const repo_info = { id: name, name, url: `https://git.example.com/${name}` }
  return app.member.post(
    `/artifacts/acme/${flow}`,
    makeBuild(makeFingerprint(start), { ...nameTrail(`run-${start}`), repo_info }),
  )
}

const ask = (query: string) => app.reader.get(`/build-frequency/acme?${query}`)

describe('200', () => {
  it('counts the builds of each flow from the repository, per UTC day', async () => {
    const { status, body } = await ask('repo_name=acme/backend&from=2026-03-02&to=2026-03-05T12:00:00Z')
    expect(status).toBe(200)
    expect(body).toEqual({
      from: Date.UTC(2026, 2, 2) / 1000,
      to: Date.UTC(2026, 2, 5, 12) / 1000,
      flows: [
        {
          flow_name: 'cd',
          total: 1,
          per_day: [
            { date: '2026-03-02', count: 0 },
            { date: '2026-03-03', count: 1 },
            { date: '2026-03-04', count: 0 },
            { date: '2026-03-05', count: 0 },
          ],
          median_per_day: 0,
        },
        {
          flow_name: 'ci',
          total: 5,
          per_day: [
            { date: '2026-03-02', count: 0 },
            // The last of these builds was a millisecond before midnight.
            { date: '2026-03-03', count: 2 },
            { date: '2026-03-04', count: 3 },
            // The build of the first day, reported again.
            { date: '2026-03-05', count: 0 },
          ],
          median_per_day: 1,
        },
      ],
    })
  })

  it('counts another repository separately', async () => {
    const { body } = await ask('repo_name=acme/frontend')
    expect(body.flows).toMatchObject([{ flow_name: 'ci', total: 1 }])
  })

  it('counts the last 30 days by default', async () => {
    const { body } = await ask('repo_name=acme/backend')
    expect(body.flows).toMatchObject([{ total: 1 }, { total: 5 }])
    expect(body.flows[0].per_day).toHaveLength(31)
    expect(body.flows[0].per_day.at(-1).date).toBe('2026-03-05')
  })

  it.each([
    ['from=2026-03-04', 3],
    ['from=2026-03-03T12:00:00.001Z&to=2026-03-03T23:59:59.998Z', undefined],
    ['from=2026-03-03T12:00:00.001Z&to=2026-03-03T23:59:59.999Z', 1],
    ['from=2026-03-03T23:59:59.999Z&to=2026-03-04', 4],
  ])('includes both ends of %s', async (period, total) => {
    const { body } = await ask(`repo_name=acme/backend&${period}`)
    expect(body.flows.find(({ flow_name }: { flow_name: string }) => flow_name === 'ci')?.total).toBe(total)
  })

  it('lists no flow when nothing was built in the period', async () => {
    const { body } = await ask('repo_name=acme/backend&from=2026-01-01&to=2026-01-02')
    expect(body.flows).toEqual([])
  })
})

describe('400', () => {
  it.each([
    ['', 'repo_name', 'Field required [input: None]'],
    ['repo_name=', 'repo_name', 'String should have at least 1 character [input: ]'],
    ['repo_name=x&from=x', 'from', 'Input should be a time in ISO 8601 or epoch seconds [input: x]'],
    ['repo_name=x&from=0', 'from', 'The period should be at most 366 days long'],
    ['repo_name=x&from=2026-03-02&to=2026-03-01', 'from', 'The period should begin before it ends'],
  ])('refuses %s', async (query, field, sentence) => {
    const { status, body } = await ask(query)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [`query.${field}`]: sentence })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    const { status, body } = await app.outsider.get('/build-frequency/acme?repo_name=acme/backend')
    expect(status).toBe(403)
    expect(body).toEqual({ message: 'Access denied to /api/v2/build-frequency/acme' })
  })
})

describe('404', () => {
  it('names the repository', async () => {
    const { status, body } = await ask('repo_name=nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Repo 'nothing' not found" })
  })
})
