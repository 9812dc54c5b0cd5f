// Health and metrics at the host root, as a load balancer and a stranger see them. server/test/operator.slow.test.ts tests
// the running program.
import { renameSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { until } from '../../test/patience.ts'
import { startHeartbeat } from '../fleet/heartbeat.ts'
import { makeLog } from '../lib/log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const get = (url: string, remoteAddress = '127.0.0.1') =>
  app.server.inject({ method: 'GET', url, remoteAddress })

describe('/metrics', () => {
  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])(
    'responds to the machine itself: %s',
    async from => {
      expect((await get('/metrics', from)).statusCode).toBe(200)
    },
  )

  it.each(['192.0.2.1', '10.0.0.1', '2001:db8::1', '::ffff:192.0.2.1'])('is not there for %s', async from => {
    const { statusCode, body } = await get('/metrics', from)
    expect([statusCode, JSON.parse(body)]).toEqual([404, { message: 'There is nothing at this address' }])
  })

  it('counts statements and waits for the database', async () => {
    await app.reader.get('/flows/acme')
    const { body } = await get('/metrics')
    for (const name of ['waybill_sql_statements_total', 'waybill_sql_waits_total']) {
      expect(body).toMatch(new RegExp(`^${name} [1-9]`, 'm'))
    }
    expect(body).toMatch(/^process_cpu_seconds_total /m)
    expect(body).toMatch(/^nodejs_eventloop_lag_seconds /m)
  })
})

describe('/metrics with WAYBILL_METRICS_TOKEN', () => {
  const token = 'a-token-of-the-scraper'
  const settings = { WAYBILL_METRICS_TOKEN: token, WAYBILL_METRICS_PORT: '0' }

  it('responds to anyone with the token, and to nobody without it, on both ports', async () => {
    const guarded = await startTestApp({ beside: app, settings })
    for (const server of [guarded.server, guarded.app.health_server]) {
      const ask = async (authorization: string | undefined, remoteAddress: string) => {
        const headers = authorization === undefined ? {} : { authorization }
        const answer = await server?.inject({ url: '/metrics', headers, remoteAddress })
        return [answer?.statusCode, answer?.headers['www-authenticate']]
      }
      expect(await ask(`Bearer ${token}`, '192.0.2.1')).toEqual([200, undefined])
      for (const wrong of [undefined, token, `Bearer ${token}x`, `Basic ${token}`, 'Bearer ']) {
        expect(await ask(wrong, '192.0.2.1')).toEqual([401, 'Bearer'])
        expect(await ask(wrong, '127.0.0.1')).toEqual([401, 'Bearer'])
      }
    }
    await guarded.stop()
  })
})

describe('/ready', () => {
  it('is OK while all is well', async () => {
    const { statusCode, body, headers } = await get('/ready')
    expect([statusCode, body]).toEqual([200, 'OK'])
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  it('says that migrations are pending, while /healthz stays OK', async () => {
    const [latest] = await app.sql('select name, sha256 from schema_migrations order by name desc limit 1')
    await app.sql('delete from schema_migrations where name = $1', [latest?.name])
    const { statusCode, body, headers } = await get('/ready')
    expect([statusCode, body, headers['retry-after']]).toEqual([503, 'migrations are pending', '1'])
    expect((await get('/healthz')).body).toBe('OK')
    await app.sql('insert into schema_migrations (name, sha256) values ($1, $2)', [
      latest?.name,
      latest?.sha256,
    ])
    expect((await get('/ready')).statusCode).toBe(200)
  })

  const getChecks = async () => {
    const headers = { accept: 'application/json' }
    const { statusCode, body } = await app.server.inject({ method: 'GET', url: '/ready', headers })
    return { status: statusCode, ...JSON.parse(body) }
  }

  it('lists every check as JSON to clients that accept it', async () => {
    expect(await getChecks()).toEqual({
      status: 200,
      ready: true,
      checks: { database: 'OK', migrations: 'OK', evidence: 'OK' },
    })
  })

  it('fails if the database answers and cannot be written', async () => {
    const database = app.owner.database ?? ''
    const refused = 'the database cannot be written: it is read-only'
    await app.sql(`alter database ${database} set default_transaction_read_only = on`)
    const { statusCode, body } = await get('/ready')
    expect([statusCode, body]).toEqual([503, refused])
    expect(await getChecks()).toMatchObject({ status: 503, ready: false, checks: { database: refused } })
    await app.sql(`set default_transaction_read_only = off`)
    await app.sql(`alter database ${database} reset default_transaction_read_only`)
    expect((await get('/ready')).body).toBe('OK')
  })

  it('commits its write', async () => {
    await app.sql('update health set checked_at = null')
    expect((await get('/ready')).body).toBe('OK')
    expect(await app.sql('select checked_at from health')).toEqual([{ checked_at: app.clock.now() }])
  })

  it('tries a new session: the pool may still work when new ones do not', async () => {
    const database = app.owner.database ?? ''
    await app.reader.get('/flows/acme')
    await app.sql(`alter role waybill_app in database ${database} set search_path = 'nowhere'`)
    const { statusCode, body } = await get('/ready')
    expect([statusCode, body]).toEqual([503, 'the database cannot be written: SQLSTATE 42P01'])
    await app.sql(`alter role waybill_app in database ${database} reset search_path`)
    expect((await get('/ready')).body).toBe('OK')
  })

  it('fails if the evidence store is away, and is OK once it is back', async () => {
    renameSync(app.evidence_dir, `${app.evidence_dir}.away`)
    const { statusCode, body } = await get('/ready')
    expect([statusCode, body]).toEqual([503, 'the evidence store cannot be used: ENOENT'])
    renameSync(`${app.evidence_dir}.away`, app.evidence_dir)
    expect((await get('/ready')).body).toBe('OK')
  })

  it('fails if the worker or the evaluation loop makes no rounds', async () => {
    const working = await startTestApp({ settings: { WAYBILL_ROLE: 'all' } })
    const headers = { accept: 'application/json' }
    const read = async () => (await working.server.inject({ method: 'GET', url: '/ready', headers })).json()
    await until(async () => (await read()).ready)
    await working.owner.query('begin')
    await working.owner.query('lock table pending_judgements, outbox in access exclusive mode')
    const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await until(async () => (await working.sql(waits)).length >= 2)
    working.clock.advance(30_000)
    expect((await read()).checks).toMatchObject({
      database: 'OK',
      outbox: 'the worker does not make rounds',
      evaluation: 'the evaluation loop does not make rounds',
    })
    await working.owner.query('rollback')
    await until(async () => (await read()).ready)
    await working.stop()
  })
})

describe('workers', () => {
  const WARNING = /^no worker has been seen for \d+ s; notifications and evaluations wait$/
  const readWarnings = async () => {
    const headers = { accept: 'application/json' }
    const { statusCode, body } = await app.server.inject({ method: 'GET', url: '/ready', headers })
    const { ready, warnings } = JSON.parse(body)
    return { status: statusCode, ready, warnings }
  }
  const countWorkers = async () => (await app.sql('select worker_id from workers')).length

  it('that were not seen for 30 s are a warning of a process that serves, which stays ready', async () => {
    const [worker] = await app.sql('select seen_at from workers')
    await app.sql(`update workers set seen_at = clock_timestamp() - interval '31 s'`)
    const { statusCode, body } = await get('/ready')
    expect([statusCode, body.split('\n')]).toEqual([
      200,
      ['OK', expect.stringMatching(/^warning: no worker has been seen for 3\d s; /)],
    ])
    const warned = { status: 200, ready: true, warnings: { workers: expect.stringMatching(WARNING) } }
    expect(await readWarnings()).toEqual(warned)
    await app.sql('update workers set seen_at = $1', [worker?.seen_at])
    expect(await readWarnings()).toEqual({ status: 200, ready: true, warnings: undefined })
  })

  it('that never were there are one too', async () => {
    const rows = await app.sql('delete from workers returning worker_id, started_at, seen_at')
    const warnings = { workers: 'no worker has been seen; notifications and evaluations wait' }
    expect(await readWarnings()).toEqual({ status: 200, ready: true, warnings })
    for (const { worker_id, started_at, seen_at } of rows) {
      await app.sql('insert into workers values ($1, $2, $3)', [worker_id, started_at, seen_at])
    }
  })

  it('record that they are alive before they are ready, and forget workers of the day before', async () => {
    const old = `insert into workers select gen_random_uuid(), t, t from (select now() - interval '25 h') old(t)`
    await app.sql(old)
    expect(await countWorkers()).toBe(2)
    const working = await startTestApp({ beside: app, settings: { WAYBILL_ROLE: 'all' } })
    expect(await countWorkers()).toBe(2)
    expect((await get('/metrics')).body).toMatch(/^waybill_workers 2$/m)
    await working.stop()
  })

  it('whose loops are stuck do not count as alive', async () => {
    const before = await countWorkers()
    const parts = { db: app.db, log: makeLog('silent'), worker_id: '00000000-0000-7000-8000-000000000001' }
    const stuck = await startHeartbeat({ ...parts, isWorking: () => false })
    expect(await countWorkers()).toBe(before)
    await stuck.stop()
    const working = await startHeartbeat({ ...parts, isWorking: () => true })
    expect(await countWorkers()).toBe(before + 1)
    await working.stop()
  })
})

describe('the port for health and metrics', () => {
  it('serves these to anyone, and nothing else', async () => {
    const settings = { WAYBILL_ROLE: 'work', WAYBILL_METRICS_PORT: '0' }
    const working = await startTestApp({ beside: app, settings })
    const ask = async (url: string, method: 'GET' | 'POST' = 'GET') => {
      const answer = await working.app.health_server?.inject({ method, url, remoteAddress: '192.0.2.1' })
      return [answer?.statusCode, answer?.body]
    }
    expect(await ask('/healthz')).toEqual([200, 'OK'])
    expect(await ask('/ready')).toEqual([200, 'OK'])
    const [status, metrics] = await ask('/metrics')
    expect(status).toBe(200)
    for (const check of ['database', 'evidence', 'outbox', 'evaluation']) {
      expect(metrics).toContain(`waybill_ready{check="${check}"} 1`)
    }
    const nothing = JSON.stringify({ message: 'There is nothing at this address' })
    expect(await ask('/api/v2/meta')).toEqual([404, nothing])
    expect(await ask('/ready', 'POST')).toEqual([404, nothing])
    await working.stop()
  })

  it('is not there without the setting', () => {
    expect(app.app.health_server).toBeUndefined()
  })
})

describe('what cannot be measured', () => {
  it('is not a number, while /metrics still responds', async () => {
    const other = await startTestApp()
    await other.sql('drop table workers')
    await other.sql('alter table pending_judgements rename to away')
    const { statusCode, body } = await other.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
    expect(statusCode).toBe(200)
    expect(body).toMatch(/^waybill_workers NaN$/im)
    expect(body).toMatch(/^waybill_backlog\{queue="evaluation"\} NaN$/im)
    expect(body).toMatch(/^waybill_targets_paused 0$/m)
    await other.stop()
  })
})
