// Health and metrics at the host root, as a load balancer and a stranger see them. server/test/operator.test.ts tests
// the running program.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness.ts'

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
})
