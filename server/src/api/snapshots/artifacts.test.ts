// GET /snapshots/{org}/{env_name}/{snapshot_expression}/artifacts: all pages together equal the whole snapshot.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPodReport,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { listStatements, recordWaits } from '../../../test/statement-log.ts'
import { compareText } from '../../domain/snapshot/text-order.ts'
import { BRANDED_KEYS } from '../../http/compat.ts'

type Item = Record<string, unknown> & {
  name: string
  fingerprint: string
  compliance_state: string
  annotation: { was: number; now: number }
}

const KNOWN = ['a1', 'c1', 'e1']
const OTHERS = ['b1', 'd1', 'f1', 'f2']

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
  for (const start of [...KNOWN, 'a2']) {
    await app.member.post(
      '/artifacts/acme/build',
      makeBuild(makeFingerprint(start), nameTrail(`trail-${start}`, 'image')),
    )
  }
  await putPolicy(app, 'built', buildPolicyRequiring())
  for (const name of ['prod', 'beta']) {
    await makeEnvironment(app, name)
    await attach(app, name, 'built')
  }
  await makeEnvironment(app, 'free')
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'beta', 'free'] })
  await makeEnvironment(app, 'empty')
  await report(app, 'prod', ...KNOWN, ...OTHERS, 'd2')
  await report(app, 'beta', 'a1', 'b1', 'e2')
  await report(app, 'free', 'c1', 'd1')
  app.clock.advance(3_600_000)
  // a2 replaced a1 and both run; d2 is gone; f1 has another pod.
  await report(app, 'prod', ...KNOWN, 'a2', 'b1', 'd1', 'f2', { start: 'f1', pods: ['pod-f1', 'pod-f1-2'] })
})
afterAll(() => app.stop())

const get = (query: Record<string, string> = {}, expression = '-1', environment = 'prod') =>
  app.reader.get(
    `/snapshots/acme/${environment}/${encodeURIComponent(expression)}/artifacts?${new URLSearchParams(query)}`,
  )

const readWhole = async (expression = '-1', environment = 'prod') =>
  (await app.reader.get(`/snapshots/acme/${environment}/${encodeURIComponent(expression)}`)).body

async function walk(expression: string, environment: string, per_page: number): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page++) {
    const { body } = await get({ page: String(page), per_page: String(per_page) }, expression, environment)
    expect(body.artifacts.length).toBeLessThanOrEqual(per_page)
    items.push(...body.artifacts)
    if (page >= body.total_pages) return items
  }
}

const RANK: Record<string, number> = { 'NON-COMPLIANT': 0, UNKNOWN: 1, COMPLIANT: 2 }

/** The running artifacts in page order, without the alternative keys for existing clients, which pages do not have. */
function selectRunning(artifacts: Item[]): Item[] {
  return artifacts
    .filter(({ annotation }) => annotation.now > 0)
    .map(item => Object.fromEntries(Object.entries(item).filter(([key]) => !isBranded(key))) as Item)
    .sort(
      (a, b) =>
        (RANK[a.compliance_state] ?? 0) - (RANK[b.compliance_state] ?? 0) || compareText(a.name, b.name),
    )
}
const isBranded = (key: string) => Object.values(BRANDED_KEYS).includes(key)
const getNames = (body: { artifacts: Item[] }) => body.artifacts.map(({ name }) => name)

describe('200', () => {
  it.each([
    ['1', 'prod'],
    ['-1', 'prod'],
    ['1', 'all'],
    ['-1', 'all'],
    ['-1', 'free'],
  ])('the pages of snapshot %s of %s equal the whole snapshot', async (expression, environment) => {
    const { artifacts } = await readWhole(expression, environment)
    expect(selectRunning(artifacts).length).toBeGreaterThan(1)
    for (const per_page of [1, 3, 50]) {
      expect(await walk(expression, environment, per_page)).toEqual(selectRunning(artifacts))
    }
  })

  it('returns the same summary as the whole snapshot', async () => {
    for (const environment of ['prod', 'all']) {
      const { artifacts, applied_policies, ...head } = await readWhole('-1', environment)
      const { snapshot } = (await get({}, '-1', environment)).body
      const { latest_snapshot_index } = (await app.reader.get(`/environments/acme/${environment}`)).body
      expect(snapshot).toEqual({
        ...head,
        latest_snapshot_index,
        applied_policies: [{ name: 'built', version: 1 }],
      })
    }
  })

  it('returns the reporter, and null if something else caused the snapshot', async () => {
    expect((await get({}, '-1')).body.snapshot).toMatchObject({ cause: 'report', reported_by: 'sam' })
    expect((await get({}, '-1', 'all')).body.snapshot).toMatchObject({ cause: 'report', reported_by: 'sam' })
    await makeEnvironment(app, 'later')
    await report(app, 'later', 'a1')
    await attach(app, 'later', 'built')
    expect((await get({}, '-1', 'later')).body.snapshot).toMatchObject({
      cause: 'policies',
      reported_by: null,
    })
    expect(await readWhole('1', 'later')).toMatchObject({ reported_by: 'sam' })
    expect(await readWhole('2', 'later')).toMatchObject({ reported_by: null })
  })

  it('lists non-compliant artifacts first, then by name and fingerprint', async () => {
    const { body } = await get()
    const not = ['b1', 'd1', 'f1', 'f2'].map(buildImageName)
    expect(getNames(body)).toEqual([...not, ...['a1', 'a2', 'c1', 'e1'].map(buildImageName)])
    expect(body).toMatchObject({ page: 1, per_page: 25, total_pages: 1, total_count: 8 })
  })

  it('lists exited artifacts on every page, whatever the filter', async () => {
    const exited = [{ name: buildImageName('d2'), fingerprint: makeFingerprint('d2'), flow_name: '', was: 1 }]
    for (const query of [{}, { page: '9' }, { compliance: 'unknown' }, { name: 'a1' }] as const) {
      expect((await get({ ...query })).body).toMatchObject({ exited, exited_count: 1 })
    }
    expect((await get({}, '1')).body).toMatchObject({ exited: [], exited_count: 0 })
    const { exited: inMember } = (await get({}, '-1', 'all')).body
    expect(inMember).toEqual([{ ...exited[0], environment_name: 'prod' }])
    // In the next snapshot of the logical environment, another member has changed.
    await report(app, 'free', 'c1', 'd1', 'd2')
    expect((await get({}, '-1', 'all')).body).toMatchObject({ exited: [], exited_count: 0 })
  })

  it('lists exited artifacts with their flow, at most fifty', async () => {
    await makeEnvironment(app, 'wide')
    const many = Array.from({ length: 60 }, (_, i) => `0${(i + 256).toString(16)}`)
    await report(app, 'wide', 'a1', ...many)
    await report(app, 'wide', 'b1')
    const { exited, exited_count } = (await get({}, '-1', 'wide')).body
    expect(exited_count).toBe(61)
    expect(exited.map(({ name }: Item) => name)).toEqual(many.slice(0, 50).map(buildImageName))
    await report(app, 'wide', 'a1')
    await report(app, 'wide', 'b1')
    expect((await get({}, '-1', 'wide')).body.exited).toMatchObject([{ flow_name: 'build' }])
  })

  it.each([
    [{ compliance: 'non-compliant' }, ['b1', 'd1', 'f1', 'f2']],
    [{ compliance: 'compliant' }, ['a1', 'a2', 'c1', 'e1']],
    [{ compliance: 'unknown' }, []],
    [{ name: 'COM/F' }, ['f1', 'f2']],
    [{ name: 'A1' }, ['a1']],
    [{ name: makeFingerprint('e1').slice(0, 20).toUpperCase() }, ['e1']],
    [{ name: '1111' }, []],
    [{ name: '%' }, []],
    [{ name: '' }, ['b1', 'd1', 'f1', 'f2', 'a1', 'a2', 'c1', 'e1']],
    [{ name: '2:1', compliance: 'compliant' }, ['a2']],
  ])('by %j finds %j', async (query, starts) => {
    const { status, body } = await get(query as Record<string, string>)
    expect(status).toBe(200)
    expect(getNames(body)).toEqual(starts.map(buildImageName))
    expect(body.total_count).toBe(starts.length)
  })

  it('says whether a replaced artifact still runs, even if it is on another page', async () => {
    await makeEnvironment(app, 'app')
    const reportVersions = (...starts: string[]) =>
      app.snapshotter.put('/environments/acme/app/report/K8S', {
        artifacts: buildPodReport(...starts).artifacts.map((pod, i) => ({
          ...pod,
          digests: { 'registry.example.com/app:1': makeFingerprint(starts[i] ?? '') },
        })),
      })
    await reportVersions('a1')
    await reportVersions('a1', 'a2')
    const readReplaced = async (environment = 'app') =>
      (await get({ name: 'a2' }, '-1', environment)).body.artifacts[0].deployment_diff
    expect(await readReplaced()).toMatchObject({
      previous_fingerprint: makeFingerprint('a1'),
      previous_running: true,
    })
    await reportVersions('a2')
    expect(await readReplaced()).toMatchObject({
      previous_fingerprint: makeFingerprint('a1'),
      previous_running: false,
    })
    // Running in another member does not count.
    await makeEnvironment(app, 'both', { type: 'logical', included_environments: ['app', 'beta'] })
    expect(await readReplaced('both')).toMatchObject({ previous_running: false })
  })

  it('is empty past the end, with links back', async () => {
    const { status, body } = await get({ page: '7', per_page: '3', name: 'e' }, '1')
    expect(status).toBe(200)
    expect(body).toMatchObject({ artifacts: [], page: 7, total_count: 8, total_pages: 3 })
    expect(body._links.prev.href).toContain('page=3')
    expect(body._links.prev.href).toContain('name=e')
    expect(body._links.next).toBeUndefined()
  })

  it('marks a corrupt record as such, and shows the others unchanged', async () => {
    await makeEnvironment(app, 'corrupt')
    await attach(app, 'corrupt', 'built')
    await report(app, 'corrupt', 'a1', 'b1', 'c1')
    const corrupt = (table: string, column: string, start: string) =>
      app.sql(
        `update ${table} set ${column} = '{"x":1}' where artifact_key like $1 and environment_id = (
           select environment_id from environments where name = 'corrupt')`,
        [`${start}%`],
      )
    await corrupt('verdicts', 'evaluation', 'a1')
    await corrupt('runs', 'instances', 'b1')
    await corrupt('runs', 'replaced', 'c1')
    const { status, body } = await get({}, '-1', 'corrupt')
    expect(status).toBe(200)
    // The order depends on the verdicts, which are not corrupt.
    expect(getNames(body)).toEqual(['b1', 'a1', 'c1'].map(buildImageName))
    const inWhole = selectRunning((await readWhole('-1', 'corrupt')).artifacts)
    expect(body.artifacts).toEqual(expect.arrayContaining(inWhole))
  })

  it('takes the same number of round trips whatever the number of artifacts and members', async () => {
    const recordPageWaits = (per_page: string) => recordWaits(app, () => get({ per_page }, '1', 'wide'))
    await recordPageWaits('1')
    expect(await recordPageWaits('50')).toEqual(await recordPageWaits('1'))
    const recordStatements = async (environment: string) => {
      await get({}, '-1', environment)
      return listStatements(app, () => get({}, '-1', environment))
    }
    await makeEnvironment(app, 'two', { type: 'logical', included_environments: ['prod', 'beta'] })
    await report(app, 'prod', 'a1', 'b1')
    expect(await recordStatements('all')).toEqual(await recordStatements('two'))
    expect(await recordStatements('all')).toHaveLength((await recordStatements('prod')).length + 1)
  })
})

const FORMS =
  ': a snapshot is N or #N (-1 is the latest), ~N, @{now}, @{YYYY-MM-DDTHH:MM:SS} or @{N.hours.ago}, also of days, weeks ' +
  'or months'

describe('400', () => {
  it.each(['0', 'latest', '~-1', '1..2'])('is for snapshot %s', async expression => {
    const { status, body } = await get({}, expression)
    expect({ status, body }).toEqual({ status: 400, body: { message: `Bad snappish ${expression}${FORMS}` } })
  })

  it.each([
    ['page', '0'],
    ['page', 'x'],
    ['per_page', '0'],
    ['per_page', '51'],
    ['per_page', '2.5'],
    ['compliance', 'COMPLIANT'],
    ['name', 'x'.repeat(257)],
    ['sort', 'name'],
  ])('is for %s=%s', async (parameter, value) => {
    const { status, body } = await get({ [parameter]: value })
    expect({ status, fields: Object.keys(body.errors) }).toEqual({
      status: 400,
      fields: [`query.${parameter}`],
    })
  })
})

describe('404', () => {
  it.each([
    ['nowhere', '1', "Environment named 'nowhere' does not exist for organization 'acme'"],
    ['empty', '-1', "Org: 'acme'. Snapshot 'empty#-1' resolves to 'empty#0'. len(snapshots) == 0."],
    ['beta', '23', "Org: 'acme'. Snapshot 'beta#23' resolves to 'beta#23'. len(snapshots) == 1."],
  ])('is for %s, snapshot %s', async (environment, expression, expected) => {
    const { status, body } = await get({}, expression, environment)
    expect(status).toBe(404)
    expect(body.message).toContain(expected)
  })

  it('is for an archived environment', async () => {
    await makeEnvironment(app, 'gone')
    await report(app, 'gone', 'a1')
    await app.member.put('/environments/acme/gone/archive')
    expect(await get({}, '1', 'gone')).toMatchObject({
      status: 404,
      body: { message: "Environment named 'gone' has been archived for organization 'acme'" },
    })
  })
})
