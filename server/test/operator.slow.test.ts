// The operator contract as a black box: what a start prints, which starts fail, what is left on disk, and which paths
// the host root serves.
import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readFiles } from './files.ts'
import {
  connectOwner,
  createDatabase,
  type Finished,
  findFreePort,
  makeDataDirectory,
  makeScratchFolder,
  readPostmasterPid,
  runProgram,
  type Service,
  startService,
} from './service.ts'

const KEY = /wb_user_\w{12}_\w{49}/g
const SECRET_KEY = 'x'.repeat(32)

let data_dir: string
let service: Service
let key: string
beforeAll(async () => {
  data_dir = makeDataDirectory()
  service = await startService({ data_dir, env: { WAYBILL_LOG_LEVEL: 'trace', WAYBILL_REGION: 'eu' } })
  key = service.key ?? ''
})

describe('the first start', () => {
  it('prints the ready line first and the key once, with a line to try it', async () => {
    const lines = service.stdout().split('\n')
    expect(lines[0]).toBe(`Waybill is ready: http://127.0.0.1:${service.port}`)
    expect(lines.filter(line => line.startsWith('Waybill is ready'))).toHaveLength(1)
    expect(new Set(service.stdout().match(KEY))).toEqual(new Set([key]))
    const command = lines.find(line => line.trim().startsWith('curl '))?.trim()
    expect(command).toBe(`curl -H "Authorization: Bearer ${key}" ${service.url}/api/v2/flows/demo-org`)
  })

  it('creates a user with a personal organization and a shared organization', async () => {
    for (const org of ['admin', 'demo-org']) {
      const { status, text } = await service.call('GET', `/api/v2/flows/${org}`, { key })
      expect([status, text]).toEqual([200, '[]'])
    }
    expect((await service.call('GET', '/api/v2/flows/acme', { key })).status).toBe(403)
    expect((await service.call('GET', '/api/v2/flows/demo-org')).status).toBe(401)
  })

  it('keeps the key out of the log and out of every file', async () => {
    await service.call('GET', '/api/v2/flows/demo-org', { key })
    const owner = await connectOwner(data_dir)
    await owner.query('checkpoint')
    await owner.end()
    const secret = key.slice('wb_user_'.length + 13)
    expect(service.stderr()).toContain('"msg":"request"')
    expect(service.stderr()).not.toContain(secret)
    const files = readFiles(data_dir)
    expect(files.length).toBeGreaterThan(500)
    // The hint is supposed to be there. Finding it proves that the search works.
    const hint = Buffer.from(key.slice(0, 'wb_user_'.length + 12))
    expect(files.some(({ content }) => content.includes(hint))).toBe(true)
    for (const form of [
      secret,
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ]) {
      const bytes = Buffer.from(form)
      expect(files.filter(({ content }) => content.includes(bytes)).map(({ path }) => path)).toEqual([])
    }
  })

  it('closes the data directory to others', () => {
    expect(statSync(data_dir).mode & 0o777).toBe(0o700)
    const entries = ['database-credentials.json', 'evidence', 'postgres', 'postgres.log', 'secret-key']
    expect(readdirSync(data_dir).sort()).toEqual(entries)
    const open = readdirSync(data_dir).filter(entry => (statSync(join(data_dir, entry)).mode & 0o077) !== 0)
    expect(open).toEqual([])
  })
})

describe('the host root', () => {
  it.each([
    ['/ready', 'text/plain; charset=utf-8', /^OK$/],
    ['/healthz', 'text/plain; charset=utf-8', /^OK$/],
    ['/api/v2/openapi.json', 'application/json; charset=utf-8', /^\{"openapi":"3\.1/],
    ['/api/v2/doc/', 'text/html; charset=utf-8', /^<!doctype html>/],
    ['/api/v2/doc/swagger-ui.css', 'text/css; charset=utf-8', /\.swagger-ui/],
    ['/api/v2/doc/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', /SwaggerUIBundle/],
    ['/api/v2/doc/start.js', 'text/javascript; charset=utf-8', /SwaggerUIBundle\(/],
  ])('serves %s without credentials', async (path, type, text) => {
    const answer = await service.call('GET', path)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe(type)
    expect(answer.text).toMatch(text)
  })

  it('serves every file that the documentation page links to', async () => {
    const page = (await service.call('GET', '/api/v2/doc/')).text
    const linked = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(match => match[1])
    expect(linked.length).toBeGreaterThanOrEqual(3)
    for (const file of linked) {
      expect((await service.call('GET', `/api/v2/doc/${file}`)).status, file).toBe(200)
    }
  })

  it('serves metrics of requests, the pool and the outbox', async () => {
    await service.call('GET', '/api/v2/flows/demo-org', { key })
    const { status, text } = await service.call('GET', '/metrics')
    expect(status).toBe(200)
    expect(text).toMatch(
      /^waybill_http_request_duration_seconds_count\{route="\/api\/v2\/flows\/:org",method="GET",status="200"\} [1-9]/m,
    )
    for (const state of ['busy', 'idle', 'waited_for']) {
      expect(text).toMatch(new RegExp(`^waybill_pool_connections\\{state="${state}"\\} \\d+$`, 'm'))
    }
    expect(text).toMatch(/^waybill_outbox_waiting 0$/m)
    expect(text).toMatch(/^waybill_environments_stale 0$/m)
    expect(text).toMatch(/^waybill_targets_paused 0$/m)
    expect(text).toMatch(/^waybill_outbox_oldest_age_seconds 0$/m)
    expect(text).not.toContain(key)
  })
})

describe('a failing start explains why in one line', () => {
  it('the data directory is in use', async () => {
    const second = await serve({})
    expectOneLine(second, data_dir)
    expect(second.stderr).toBe(`The data directory ${data_dir} is in use by another Waybill process\n`)
    expect((await service.call('GET', '/ready')).text).toBe('OK')
  })

  it('the port is in use, and the key is printed by the start that succeeds', async () => {
    const other = makeDataDirectory()
    const refused = await runProgram(['serve'], { data_dir: other, env: { PORT: String(service.port) } })
    expectOneLine(refused, 'PORT')
    expect(readPostmasterPid(other)).toBeUndefined()
    const started = await startService({ data_dir: other })
    expect(started.key).toMatch(KEY)
    expect((await started.call('GET', '/api/v2/flows/demo-org', { key: started.key })).status).toBe(200)
    started.signal('SIGTERM')
    expect(await started.ended).toEqual({ code: 0, signal: null })
  })

  it.concurrent.each([
    ['WAYBILL_TYPO', 'x'],
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['WAYBILL_ROLE', 'boss'],
    ['WAYBILL_RATE_LIMIT', 'fast'],
    ['WAYBILL_SECRET_KEY', 'short'],
    ['WAYBILL_RETRY_SCHEDULE', '1,soon'],
    ['WAYBILL_BASE_URL', 'waybill.example'],
    ['DATABASE_URL', 'mysql://localhost/waybill'],
  ])('%s=%s', async (name, value) => {
    expectOneLine(await serve({ [name]: value }), name)
  })

  it('the database does not respond, and the message has no password', async () => {
    const refused = await serve({ DATABASE_URL: 'postgres://somebody:hushhush@127.0.0.1:1/waybill' })
    expectOneLine(refused, 'DATABASE_URL')
    expect(refused.stderr).not.toContain('hushhush')
  })

  it('the path of the data directory is invalid', async () => {
    const file = join(makeScratchFolder(), 'file')
    writeFileSync(file, '')
    const refused = await runProgram(['serve'], { data_dir: join(file, 'data') })
    expectOneLine(refused, file)
  })

  it('the address cannot be listened on', async () => {
    const { url } = await createDatabase()
    // Reserved for documentation: no interface of this machine has it.
    const refused = await serve({ DATABASE_URL: url, HOST: '192.0.2.1', PORT: String(await findFreePort()) })
    expectOneLine(refused, 'HOST')
  })

  it('production without its own secret key, or with TLS checks off', async () => {
    const { url } = await createDatabase()
    const production = { NODE_ENV: 'production', DATABASE_URL: url }
    expectOneLine(await serve(production), 'WAYBILL_SECRET_KEY')
    const unsafe = { ...production, WAYBILL_SECRET_KEY: SECRET_KEY, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    expectOneLine(await serve(unsafe), 'NODE_TLS_REJECT_UNAUTHORIZED')
  })

  it('production with a role that row-level security does not bind', async () => {
    const { url, owner } = await createDatabase()
    const env = { DATABASE_URL: url, WAYBILL_SECRET_KEY: SECRET_KEY, NODE_ENV: 'production' }
    expect((await runProgram(['admin', 'migrate'], { data_dir: makeScratchFolder(), env })).code).toBe(0)
    await owner.query('alter table flows owner to waybill_app')
    expectOneLine(await serve(env), 'waybill_app')
  })

  it('the schema is newer than the program, or was edited', async () => {
    const { url, owner } = await createDatabase()
    const env = { DATABASE_URL: url }
    expect((await runProgram(['admin', 'migrate'], { data_dir: makeScratchFolder(), env })).code).toBe(0)
    await owner.query("insert into schema_migrations (name, sha256) values ('9999_future.sql', 'x')")
    expectOneLine(await serve(env), '9999_future.sql')
    await owner.query("delete from schema_migrations where name like '9999%'")
    await owner.query("update schema_migrations set sha256 = 'x'")
    expectOneLine(await serve(env), 'was edited')
  })
})

describe('the next start', () => {
  it('prints no key, keeps all data, and is not blocked by leftovers of a crash', async () => {
    service.signal('SIGTERM')
    expect(await service.ended).toEqual({ code: 0, signal: null })
    expect(readPostmasterPid(data_dir)).toBeUndefined()
    leaveDebris()
    const again = await startService({ data_dir, env: { WAYBILL_ORG: 'another-org', PORT: '0' } })
    expect(again.stdout()).toMatch(/^Waybill is ready: http:\/\/127\.0\.0\.1:[1-9]\d*\n$/)
    const address = again.stdout().trim().split(' ').at(-1) ?? ''
    const answer = await fetch(`${address}/api/v2/flows/demo-org`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(answer.status).toBe(200)
    expect((await fetch(`${address}/api/v2/flows/another-org`)).status).toBe(401)
    again.signal('SIGTERM')
    expect(await again.ended).toEqual({ code: 0, signal: null })
  })
})

/** Leaves a pid file of another live process, a lock, an incomplete database, a partial file and an old socket. */
function leaveDebris(): void {
  const stale = `${process.pid}\n/proc/self/fd/3\n1\n5432\n/nowhere\n\n  0 0\nready\n`
  writeFileSync(join(data_dir, 'postgres', 'postmaster.pid'), stale)
  writeFileSync(join(data_dir, 'lock.sock'), '')
  mkdirSync(join(data_dir, 'postgres.new-crash', 'base'), { recursive: true })
  writeFileSync(join(data_dir, 'database-credentials.json.new'), '{"owner":')
  const { dev, ino } = statSync(join(data_dir, 'postgres'), { bigint: true })
  const socket_directory = mkdtempSync(join(tmpdir(), `waybill-${dev}-${ino}.db-`))
  writeFileSync(join(socket_directory, '.s.PGSQL.5432'), '')
  writeFileSync(join(socket_directory, '.s.PGSQL.5432.lock'), stale)
}

function serve(env: Record<string, string>): Promise<Finished> {
  return runProgram(['serve'], { data_dir, env })
}

function expectOneLine({ code, stdout, stderr }: Finished, named: string): void {
  expect(stderr).toContain(named)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(stdout).toBe('')
  expect(code).toBe(1)
}
