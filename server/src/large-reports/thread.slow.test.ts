// Large reports are stored in a separate thread: the application does not parse them, serves others meanwhile, and
// the result is the same as for a small report.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeEnvironment, readLatestIndex, readLatestSnapshot, STARTED_AT } from '../../test/environments.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { PATIENCE_MS } from '../../test/patience.ts'
import { listStatements } from '../../test/statement-log.ts'
import { LARGE_REPORT_BYTES } from '../api/large-reports.ts'
import { makeReportThread } from './thread.ts'

const FEW = 50
const MANY = 2_000

let app: TestApp
beforeEach(async () => {
  app = await startTestApp()
  await makeEnvironment(app, 'prod')
})
afterEach(() => app.stop())

const buildPods = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({
    podName: `pod-${from + i}`,
    namespace: 'default',
    digests: { [`registry.example.com/service-${from + i}`]: (from + i).toString(16).padStart(64, '0') },
    creationTimestamp: STARTED_AT,
    owners: [{ name: `owner-${from + i}` }],
  }))
const send = (body: unknown, environment = 'prod') =>
  app.snapshotter.put(`/environments/acme/${environment}/report/K8S`, body)
const sendPods = (count: number, from = 0, environment = 'prod') =>
  send({ artifacts: buildPods(count, from) }, environment)

/** Notes whenever this thread parses the JSON of a large body. */
function watchParser(): { parsed: number; end(): void } {
  const { parse } = JSON
  const watch = {
    parsed: 0,
    end: () => {
      JSON.parse = parse
    },
  }
  JSON.parse = (text, reviver) => {
    if (text.length > LARGE_REPORT_BYTES) watch.parsed += 1
    return parse(text, reviver)
  }
  return watch
}

describe('a large report', () => {
  it('sends the statements of a small one, first, again and changed', async () => {
    const sent: Record<string, string[]> = {}
    // From now on the caller is known, and both threads know the log.
    await makeEnvironment(app, 'known')
    for (const count of [FEW, MANY]) await sendPods(count, 0, 'known')
    for (const count of [FEW, MANY]) {
      const environment = `of-${count}`
      await makeEnvironment(app, environment)
      for (const [what, from] of [
        ['first', 0],
        ['again', 0],
        ['with one changed', 1],
        ['with all changed', 10_000],
      ] as const) {
        const send = () => sendPods(count, from, environment)
        sent[`${what} ${count}`] = await listStatements(app, send)
      }
    }
    for (const what of ['first', 'again', 'with one changed', 'with all changed']) {
      expect(sent[`${what} ${MANY}`], what).toEqual(sent[`${what} ${FEW}`])
      expect(sent[`${what} ${FEW}`]?.length, what).toBeLessThanOrEqual(12)
    }
    expect(sent[`again ${MANY}`]).toEqual(['environments.report_again'])
  })

  it('is stored like a small one', async () => {
    expect((await sendPods(MANY)).headers.location).toBe('http://waybill.test/api/v2/snapshots/acme/prod/1')
    const { artifacts } = await readLatestSnapshot(app, 'prod')
    expect(artifacts).toHaveLength(MANY)
    await makeEnvironment(app, 'small')
    await sendPods(FEW, 0, 'small')
    const small: { name: string }[] = (await readLatestSnapshot(app, 'small')).artifacts
    const names = new Set(small.map(({ name }) => name))
    expect(artifacts.filter(({ name }: { name: string }) => names.has(name))).toEqual(small)
  })

  it('is parsed in its thread, and others are answered meanwhile', async () => {
    const watch = watchParser()
    try {
      // The thread gets as far as the lock. Only requests served in the meantime can release it.
      await app.owner.query('begin')
      await app.owner.query('select from environments for update')
      const stored = sendPods(MANY)
      expect((await app.reader.get('/environments/acme/prod')).status).toBe(200)
      await app.owner.query('rollback')
      expect((await stored).status).toBe(200)
      expect(watch.parsed).toBe(0)
    } finally {
      watch.end()
    }
    expect(await readLatestIndex(app, 'prod')).toBe(1)
  })

  it.each([
    ['a digest that is none', { digests: { 'a:1': 'x' } }, 'artifacts[1999].digests.a:1'],
    ['an unknown field', { mood: 'good' }, 'artifacts[1999].mood'],
    ['a number that cannot be stored', { creationTimestamp: 2 ** 60 }, 'artifacts[1999].creationTimestamp'],
  ])('with %s gets 400 with the field, and stores nothing', async (_, wrong, field) => {
    const pods = buildPods(MANY)
    const { status, body } = await send({
      artifacts: pods.map((pod, i) => (i === MANY - 1 ? { ...pod, ...wrong } : pod)),
    })
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
    expect(await readLatestIndex(app, 'prod')).toBe(0)
  })

  it('may say the type of its environment, in either spelling', async () => {
    await makeEnvironment(app, 'apps', { type: 'cloudx-apps' })
    const artifacts = buildPods(MANY).map(({ podName, digests, creationTimestamp }) => ({
      app_name: podName,
      app_kind: 'app,linux',
      digests,
      creationTimestamp,
    }))
    const sendAs = (type: string) =>
      app.snapshotter.put('/environments/acme/apps/report/cloudx-apps', { type, artifacts })
    const branded = ['azure', 'apps'].join('-')
    expect((await sendAs(branded)).status).toBe(200)
    const refused = await sendAs('K8S')
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['type']])
    expect(await readLatestIndex(app, 'apps')).toBe(1)
  })

  it.each([
    ['no environment', 'nowhere', 404],
    ['an environment of another type', 'files', 400],
  ])('to %s is refused', async (_, environment, status) => {
    await makeEnvironment(app, 'files', { type: 'server' })
    const large = await sendPods(MANY, 0, environment)
    const small = await sendPods(FEW, 0, environment)
    expect([large.status, large.body]).toEqual([status, small.body])
  })

  it('gets 503 with the limit if the database takes too long, and stores nothing', async () => {
    const limited = await startTestApp({ beside: app, pool: { limits: { lock_timeout: '100' } } })
    await app.owner.query('begin')
    await app.owner.query('select from environments for update')
    const path = '/environments/acme/prod/report/K8S'
    const refused = await limited.snapshotter.put(path, { artifacts: buildPods(MANY) })
    await app.owner.query('rollback')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(refused.body.message).toContain('lock_timeout, 0.1 s')
    expect(await readLatestIndex(app, 'prod')).toBe(0)
    await limited.stop()
  })
})

describe('a thread', () => {
  const report = {
    operation_id: 'reportPods',
    params: { org: 'acme', env_name: 'prod' },
    org: { org_id: '', name: 'acme', sponsor: '' },
    caller: { name: 'somebody', kind: 'user', id: 'u', credential: 'key', key_id: 'k' },
    now: new Date(0),
    request_id: 'a request',
  }
  const makeThread = (code: string) =>
    makeReportThread({
      database: {},
      db: app.db,
      base_url: '',
      clock: app.clock,
      wait_ms: PATIENCE_MS,
      file: new URL(`data:text/javascript,${encodeURIComponent(code)}`),
    })

  it('that dies fails its reports with 503, and the next one starts another', async () => {
    const thread = makeThread('process.exit(1)')
    for (const body of [new Uint8Array(1), new Uint8Array(1)]) {
      await expect(thread.store({ ...report, body })).rejects.toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
      })
      expect(thread.isRunning()).toBe(false)
    }
    await thread.close()
  })

  it('that fails in an unknown way causes an error with its stack, not a response', async () => {
    const thread = makeThread(`import { parentPort } from 'node:worker_threads'
      parentPort.on('message', ({ number }) => {
        if (number === undefined) process.exit()
        else parentPort.postMessage({ number, sent: { statements: [], waits: [] }, outcome: { failure: 'at line 1' } })
      })`)
    const failed = thread.store({ ...report, body: new Uint8Array(1) })
    await expect(failed).rejects.toThrow('A large report failed in its thread: at line 1')
    expect(thread.isRunning()).toBe(true)
    await thread.close()
    expect(thread.isRunning()).toBe(false)
  })
})
