// `kill -9` at any time, of the service or of the service and its PostgreSQL, loses no acknowledged write and needs
// no repair. Everything here is a real process on a durable database.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from './patience.ts'
import { chooseRepetitions } from './repetitions.ts'
import {
  connectOwner,
  findFreePort,
  killPostmaster,
  makeDataDirectory,
  readPostmasterPid,
  runProgram,
  type Service,
  spawnProgram,
  startService,
  waitForEnd,
} from './service.ts'

const KILLS = chooseRepetitions(2, 20)
const WRITERS = 16
const REPORTERS = 4
const MAX_DELAY_MS = 250
const QUIET = { WAYBILL_LOG_LEVEL: 'error' }

describe('kill -9', () => {
  it('loses no acknowledged write, killed again and again under load', async () => {
    const data_dir = makeDataDirectory()
    const port = await findFreePort()
    const acknowledged: string[] = []
    const reported: string[] = []
    const strange: number[] = []
    let key: string | undefined
    for (let kill = 0; kill < KILLS; kill++) {
      const service = await startService({ data_dir, port, env: QUIET })
      key ??= service.key
      if (kill === 0) await makeFlow(service, key)
      const answered = { trail: false, report: false }
      const note = (what: 'trail' | 'report') => () => {
        answered[what] = true
      }
      const writers = Array.from({ length: WRITERS }, (_, i) =>
        write(service, key, `${kill}-${i}`, note('trail')),
      )
      const reporters = Array.from({ length: REPORTERS }, (_, i) =>
        report(service, key, `${kill}-${i}`, note('report')),
      )
      await until(() => answered.trail && answered.report)
      await sleep(Math.random() * MAX_DELAY_MS)
      service.signal('SIGKILL')
      if (kill % 2 === 0) killPostmaster(data_dir, 'SIGKILL')
      expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' })
      for (const { names, statuses } of await Promise.all(writers)) {
        acknowledged.push(...names)
        strange.push(...statuses.filter(status => status !== 201 && status !== 503))
      }
      for (const { names, statuses } of await Promise.all(reporters)) {
        reported.push(...names)
        strange.push(...statuses.filter(status => status !== 200 && status !== 503))
      }
    }
    const service = await startService({ data_dir, port, env: QUIET })
    expect(service.key).toBeUndefined()
    expect(strange).toEqual([])
    // Every round waits for one acknowledged write; how many more there are depends on the machine.
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS)
    const stored = await readBack(service, key)
    expect(acknowledged.filter(name => !stored.has(name))).toEqual([])
    expect(reported.length).toBeGreaterThanOrEqual(KILLS)
    const ran = await readRunFingerprints(service)
    expect(reported.filter(fingerprint => !ran.has(fingerprint))).toEqual([])
    await expectConsistent(service, key, acknowledged.at(-1) ?? '')
    service.signal('SIGTERM')
    expect(await service.ended).toEqual({ code: 0, signal: null })
  })

  it('during a start leaves nothing that blocks the next one', async () => {
    const data_dir = makeDataDirectory()
    const isBegun = () => existsSync(data_dir)
    const isDatabaseUp = () => readPostmasterPid(data_dir) !== undefined
    for (const [hasReached, withDatabase] of [
      [isBegun, false],
      [isDatabaseUp, false],
      [isDatabaseUp, true],
    ] as const) {
      const child = spawnProgram(['serve'], { PORT: String(await findFreePort()) }, data_dir)
      await until(hasReached)
      child.kill('SIGKILL')
      if (withDatabase) killPostmaster(data_dir, 'SIGKILL')
      await waitForEnd(child)
    }
    const service = await startService({ data_dir, env: QUIET })
    expect((await service.call('GET', '/ready')).text).toBe('OK')
    const made = await runProgram(['admin', 'key', 'create', '--user', 'admin', '--json'], { data_dir })
    await makeFlow(service, JSON.parse(made.stdout).key)
  })
})

async function makeFlow(service: Service, key: string | undefined): Promise<void> {
  const body = { name: 'kills', description: '' }
  const made = await service.call('PUT', '/api/v2/flows/demo-org', { key, body })
  expect(made.status).toBe(201)
  const environment = { name: 'kills', type: 'docker' }
  expect(
    (await service.call('PUT', '/api/v2/environments/demo-org', { key, body: environment })).status,
  ).toBe(201)
}

/** Keeps reporting another running artifact until the service stops answering. */
async function report(
  service: Service,
  key: string | undefined,
  reporter: string,
  onAcknowledged: () => void,
) {
  const names: string[] = []
  const statuses: number[] = []
  for (let i = 0; ; i++) {
    const fingerprint = createHash('sha256').update(`${reporter}-${i}`).digest('hex')
    const body = { artifacts: [{ digests: { image: fingerprint }, creationTimestamp: 1 }] }
    try {
      const path = '/api/v2/environments/demo-org/kills/report/docker'
      const { status } = await service.call('PUT', path, { key, body })
      statuses.push(status)
      if (status !== 200) continue
      names.push(fingerprint)
      onAcknowledged()
    } catch {
      // Killed: this one was not acknowledged, so it may or may not be stored.
      return { names, statuses }
    }
  }
}

/** The fingerprints of all artifacts that were in a snapshot. */
async function readRunFingerprints(service: Service): Promise<Set<string>> {
  const owner = await connectOwner(service.data_dir)
  const { rows } = await owner.query(`
    select r.fingerprint from runs r join snapshots s on s.environment_id = r.environment_id
      and s.snapshot_index = r.from_index
    join verdicts v on v.environment_id = r.environment_id and v.artifact_key = r.artifact_key
      and v.from_index <= r.from_index
    join environment_events e on e.environment_id = r.environment_id and e.snapshot_index = r.from_index
      and e.artifact_key = r.artifact_key
    join deployments d on d.environment_id = r.environment_id and d.snapshot_index = r.from_index
      and d.artifact_key = r.artifact_key`)
  await owner.end()
  return new Set(rows.map(row => row.fingerprint))
}

/** Begins one trail after another until the service stops answering. */
async function write(service: Service, key: string | undefined, writer: string, onAcknowledged: () => void) {
  const names: string[] = []
  const statuses: number[] = []
  for (let i = 0; ; i++) {
    const name = `${writer}-${i}`
    try {
      const { status } = await service.call('PUT', '/api/v2/trails/demo-org/kills', { key, body: { name } })
      statuses.push(status)
      if (status !== 201) continue
      names.push(name)
      onAcknowledged()
    } catch {
      // Killed: this one was not acknowledged, so it may or may not be stored.
      return { names, statuses }
    }
  }
}

async function readBack(service: Service, key: string | undefined): Promise<Set<string>> {
  const names = new Set<string>()
  for (let page = 1; ; page++) {
    const path = `/api/v2/trails/demo-org?flow=kills&per_page=50&page=${page}`
    const { data, pagination } = JSON.parse((await service.call('GET', path, { key })).text)
    for (const trail of data) names.add(trail.name)
    if (page >= pagination.page_count) return names
  }
}

/** Every trail and snapshot has its event, every event has its trail or snapshot, and `admin check` agrees. */
async function expectConsistent(service: Service, key: string | undefined, name: string): Promise<void> {
  const owner = await connectOwner(service.data_dir)
  const found = await owner.query(`
    select (select count(*) from trails)::int as trails,
      (select count(*) from events where kind = 'trail_reported')::int as events,
      (select count(*) from trails t join events e on e.org_id = t.org_id and e.trail_id = t.trail_id
        and e.kind = 'trail_reported')::int as pairs,
      (select count(*) from snapshots)::int as snapshots,
      (select count(*) from events where kind = 'snapshot_taken')::int as taken`)
  await owner.end()
  const { trails, events, pairs, snapshots, taken } = found.rows[0]
  expect([events, pairs]).toEqual([trails, trails])
  expect(taken).toBe(snapshots)
  const check = await runProgram(['admin', 'check', '--json'], { data_dir: service.data_dir })
  expect(check).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(check.stdout).ok).toBe(true)
  const read = await service.call('GET', `/api/v2/trails/demo-org/kills/${name}`, { key })
  expect(read.status).toBe(200)
}
