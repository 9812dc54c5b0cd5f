// The log as operators get it: read from the standard error of the program.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { makeTestCa } from '@waybill/testing/tls'
import { buildSync } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { until } from './patience.ts'
import {
  createDatabase,
  findFreePort,
  makeDataDirectory,
  makeScratchFolder,
  type Service,
  startService,
} from './service.ts'

type Line = Record<string, unknown>

const CUT_OFF = 'the client disconnected before its request was complete'

let service: Service
let issuer: string
beforeAll(async () => {
  const { url } = await createDatabase()
  // Nothing listens there.
  issuer = `http://127.0.0.1:${await findFreePort()}`
  service = await startService({
    data_dir: makeDataDirectory(),
    env: {
      DATABASE_URL: url,
      WAYBILL_CI_ISSUERS: issuer,
      WAYBILL_OIDC_ISSUER: issuer,
      WAYBILL_OIDC_CLIENT_ID: 'waybill',
    },
  })
})

const lines = (): Line[] =>
  service
    .stderr()
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

/** Waits, because the line is written after the response. */
async function waitForLine(wanted: Line, after = 0): Promise<Line> {
  const isWanted = (line: Line) => Object.entries(wanted).every(([name, value]) => line[name] === value)
  const find = () => lines().slice(after).find(isWanted)
  await until(() => find() !== undefined)
  return find() ?? {}
}

/** Sends the beginning of a longer body. Closes the connection once the server has read it. */
async function disconnectWithin(path: string, type: string, beginning: string): Promise<void> {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${service.key}`,
    `content-type: ${type}`,
    'content-length: 100000',
    'expect: 100-continue',
  ]
  const socket = net.connect(service.port, '127.0.0.1')
  await new Promise(resolve => socket.once('connect', resolve).write(`${head.join('\r\n')}\r\n\r\n`))
  await new Promise(resolve => socket.once('data', resolve))
  await new Promise(resolve => socket.write(beginning, resolve))
  socket.destroy()
}

const buildToken = (claims: object) =>
  [{ alg: 'RS256', kid: 'k' }, claims, {}]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')

const exchange = (iss: string) =>
  service.call('POST', '/api/v2/keyless/demo-org/exchange', { body: { token: buildToken({ iss }) } })

describe('the log', () => {
  it('has one JSON line for every request with its caller, route and status', async () => {
    const path = '/api/v2/flows/demo-org'
    const { headers } = await service.call('GET', `${path}?page=1`, { key: service.key })
    const request_id = headers['x-request-id']
    expect(await waitForLine({ msg: 'request', request_id })).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request_id,
      method: 'GET',
      route: '/api/v2/flows/:org',
      status: 200,
      duration_ms: expect.any(Number),
      org: 'demo-org',
      caller: 'admin',
      key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      address: '127.0.0.1',
      msg: 'request',
    })
    expect(lines().filter(line => line.request_id === request_id)).toHaveLength(1)
  })

  it.each([
    ['JSON', 'application/json', '{"name": "half'],
    [
      'a form',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="data_json"\r\n\r\n{',
    ],
    [
      'a file',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="attachment_file"; filename="a.txt"\r\n\r\nhalf',
    ],
  ])('has no error for a client that disconnects in the middle of %s', async (_, type, beginning) => {
    const seen = lines().length
    const flow = { name: 'cut-off', description: '' }
    await service.call('PUT', '/api/v2/flows/demo-org', { key: service.key, body: flow })
    await disconnectWithin('/api/v2/attestations/demo-org/cut-off/trail/t/generic', type, beginning)
    const line = await waitForLine({ msg: CUT_OFF, method: 'POST' }, seen)
    expect(line).toMatchObject({
      level: 30,
      request_id: expect.any(String),
      route: expect.stringMatching(/generic$/),
    })
    expect(
      lines()
        .slice(seen)
        .filter(({ level }) => Number(level) > 30),
    ).toEqual([])
  })

  it('has no query string, no body and no key', async () => {
    const secret = 'canary-in-a-query'
    await service.call('GET', `/api/v2/nothing?q=${secret}`, { key: service.key })
    const body = { name: 'canary-in-a-body', description: '' }
    const { headers } = await service.call('PUT', '/api/v2/flows/demo-org', { key: service.key, body })
    await waitForLine({ msg: 'request', request_id: headers['x-request-id'] })
    expect(service.stderr()).not.toContain('canary')
    expect(service.stderr()).not.toContain(service.key)
  })

  it('has the route `none` when no route matched', async () => {
    const { headers } = await service.call('GET', '/api/v2/nothing')
    expect(await waitForLine({ request_id: headers['x-request-id'] })).toMatchObject({
      route: 'none',
      status: 404,
    })
  })

  it('contains why a CI token was rejected, which the response does not', async () => {
    const { status, text, headers } = await exchange('https://ci.example')
    expect(status).toBe(401)
    expect(text).not.toContain('issuer')
    const line = await waitForLine({
      msg: 'a CI token was not accepted',
      request_id: headers['x-request-id'],
    })
    expect(line).toMatchObject({
      org: 'demo-org',
      reasons: 'its issuer is not one of WAYBILL_CI_ISSUERS, and no rule has keys for it',
    })
  })

  it('names the issuer of CI tokens that does not respond', async () => {
    expect((await exchange(issuer)).status).toBe(503)
    expect(await waitForLine({ msg: 'an issuer of CI tokens does not answer' })).toMatchObject({
      level: 40,
      issuer,
    })
  })

  it('contains why a sign-in was rejected', async () => {
    expect((await service.call('GET', '/auth/sso/sso/callback?state=x&code=y')).status).toBe(403)
    expect(await waitForLine({ msg: 'a sign-in was refused' })).toMatchObject({
      level: 40,
      provider: 'sso',
      reason: 'there is no state, or not the browser that began',
    })
  })

  it('goes to standard error only: standard output has just the ready line and the first key', () => {
    expect(lines().length).toBeGreaterThan(5)
    expect(service.stdout()).toMatch(/^Waybill is ready: /)
    expect(service.stdout()).not.toContain('"msg"')
  })

  it.each(['authorization', 'cookie', 'password', 'secret', 'key', 'token', 'connectionString'])(
    'redacts a field named %s, whatever logs it',
    field => {
      const logged = { [field]: 'hush', deeper: { [field]: 'hush', still: { [field]: 'hush' } } }
      const contents = `import { makeLog } from './log.ts'\nmakeLog('info').info(${JSON.stringify(logged)}, 'said')`
      const resolveDir = join(root, 'server', 'src', 'lib')
      const { outputFiles } = buildSync({
        stdin: { contents, resolveDir, loader: 'ts' },
        bundle: true,
        platform: 'node',
        format: 'esm',
        packages: 'external',
        write: false,
      })
      const { stderr } = spawnSync(process.execPath, ['--input-type=module'], {
        cwd: join(root, 'server'),
        input: outputFiles[0]?.text ?? '',
        encoding: 'utf8',
      })
      expect(JSON.parse(stderr).msg).toBe('said')
      expect(stderr).not.toContain('hush')
    },
  )
})

describe('a service with a certificate', () => {
  it('shows in the log and in the ready line that it listens with TLS', async () => {
    const folder = makeScratchFolder()
    const { cert, key } = await (await makeTestCa()).serverFor(['127.0.0.1'])
    const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
    writeFileSync(files.cert, cert)
    writeFileSync(files.key, key)
    const { url: DATABASE_URL } = await createDatabase()
    const env = { DATABASE_URL, WAYBILL_TLS_CERT_FILE: files.cert, WAYBILL_TLS_KEY_FILE: files.key }
    const { port, stdout, stderr } = await startService({ data_dir: makeDataDirectory(), env })
    expect(stdout()).toContain(`Waybill is ready: https://127.0.0.1:${port}\n`)
    expect(stderr()).toContain(`"msg":"Server listening at https://127.0.0.1:${port}"`)
    expect(stdout() + stderr()).not.toContain('http://')
  })
})
