// Decisions where the specification leaves something open, unless another test proves them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../../scripts/run/prepare.mjs'
import { LIMITS } from '../../src/api/limits.ts'
import { operations } from '../../src/api/operations.ts'
import { readConfig } from '../../src/settings/config.ts'
import { buildImageName, buildPodReport, makeEnvironment, report } from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeFingerprint } from '../reports.ts'
import { getName, getNeededAccess } from '../roles.ts'

const HOUR_MS = 3_600_000
const MIB = 1024 * 1024

let app: TestApp
// biome-ignore lint/suspicious/noExplicitAny: the document has every shape
let document: any
beforeAll(async () => {
  app = await startTestApp()
  document = (await app.anonymous.get('/openapi.json')).body
})
afterAll(() => app.stop())

describe('successes', () => {
  it('are 200 or 201 in every operation, never 204', () => {
    const operations = Object.values<Record<string, { operationId: string; responses: object }>>(
      document.paths,
    ).flatMap(methods => Object.values(methods))
    const answering = (status: string) =>
      operations.filter(({ responses }) => status in responses).map(({ operationId }) => operationId)
    const successes = operations.flatMap(({ responses }) =>
      Object.keys(responses).filter(status => status < '300' && status !== '202'),
    )
    expect([...new Set(successes)].sort()).toEqual(['200', '201'])
    // Only where an organization requires a second person.
    expect(answering('202').sort()).toEqual(['putAllowListEntry', 'reportOverride'])
  })
})

describe('limits', () => {
  it.each(Object.entries(LIMITS))('of %s (%i) are in the document', (name, value) => {
    expect(document.info.description).toContain(`| ${name.replaceAll('_', ' ')} | ${value} |`)
  })

  it('let an environment report have 16 MiB and no byte more', async () => {
    await makeEnvironment(app, 'large')
    const put = (bytes: number) => {
      const body = JSON.stringify(buildPodReport('a'))
      return app.snapshotter.put('/environments/acme/large/report/K8S', body.padEnd(bytes, ' '))
    }
    expect((await put(16 * MIB)).status).toBe(200)
    const { status, body } = await put(16 * MIB + 1)
    expect([status, body]).toEqual([413, { message: 'The request body is larger than allowed' }])
  })
})

describe('order', () => {
  it('of snapshots follows their numbers: their times never decrease', async () => {
    await makeEnvironment(app, 'ordered')
    await report(app, 'ordered', 'a')
    app.clock.advance(-HOUR_MS)
    await report(app, 'ordered', 'b')
    app.clock.advance(HOUR_MS)
    const at = async (index: number) => (await app.reader.get(`/snapshots/acme/ordered/${index}`)).body
    const [first, second] = [await at(1), await at(2)]
    expect(second.timestamp).toBeGreaterThanOrEqual(first.timestamp)
    expect(first.next_snapshot_timestamp).toBe(second.timestamp)
  })

  it('does not depend on the clock of the reporter', async () => {
    await makeEnvironment(app, 'early')
    const pod = { podName: 'p', namespace: 'n', owners: null, creationTimestamp: 4_000_000_000 }
    const artifacts = [{ ...pod, digests: { [buildImageName('a')]: makeFingerprint('a') } }]
    await app.snapshotter.put('/environments/acme/early/report/K8S', { artifacts })
    const { body } = await app.reader.get('/snapshots/acme/early/1')
    expect(body.timestamp).toBe(app.clock.now().getTime() / 1000)
  })
})

describe('deliveries', () => {
  it('are attempted after 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h by default', () => {
    const schedule_s = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]
    expect(readConfig({}).retry_schedule_s).toEqual(schedule_s)
    expect(readConfig({ WAYBILL_RETRY_SCHEDULE: '0,1' }).retry_schedule_s).toEqual([0, 1])
  })
})

describe('roles', () => {
  it('are one table: every operation has its row', () => {
    const said = operations.map(({ contract }) => [getName(contract), contract.access])
    const rows = operations.map(({ contract }) => [getName(contract), getNeededAccess(contract)])
    expect(said).toEqual(rows)
  })
})

describe('docs/compatibility.md', () => {
  const page = readFileSync(join(root, 'docs', 'compatibility.md'), 'utf8')

  it('explains how to point the command line here', () => expect(page).toContain('--host'))

  it('explains how to point the Terraform provider here', () =>
    expect(page).toMatch(/The Terraform provider[\s\S]*api_url/))
})
