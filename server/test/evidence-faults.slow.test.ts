// The evidence disk fails under a running service, with real operating system errors: attachments are rejected with a
// status that shows whose fault it is, /ready reports why, and the log has one warning for each change.
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from './patience.ts'
import { addCleanUp, createDatabase, makeScratchFolder, type Service, startService } from './service.ts'

const SENT = 20

interface Rig {
  service: Service
  env: Record<string, string>
  folder: string
  key: string
}

/** A service with a separate evidence folder, or with its evidence at the URL. */
async function startWithFolder(limited_by?: string, evidence_url?: string): Promise<Rig> {
  const folder = join(makeScratchFolder(), 'evidence')
  const { url } = await createDatabase()
  const env = {
    DATABASE_URL: url,
    WAYBILL_EVIDENCE_URL: evidence_url ?? `file://${folder}`,
    WAYBILL_EGRESS_ALLOW: '127.0.0.1',
    WAYBILL_SECRET_KEY: 'a secret key of the tests, long enough',
    WAYBILL_LOG_LEVEL: 'info',
  }
  const service = await startService({
    data_dir: makeScratchFolder(),
    env,
    ...(limited_by ? { limited_by } : {}),
  })
  const key = service.key ?? ''
  const flow = { name: 'load', description: '' }
  expect((await service.call('PUT', '/api/v2/flows/demo-org', { key, body: flow })).status).toBe(201)
  const trails = '/api/v2/trails/demo-org/load'
  expect((await service.call('PUT', trails, { key, body: { name: 'begun' } })).status).toBe(201)
  return { service, env, folder, key }
}

async function attach({ service, key }: Rig, content: string, name: string): Promise<Response> {
  const form = new FormData()
  form.append('data_json', JSON.stringify({ attestation_name: name, is_compliant: true }))
  form.append('attachment_file', new Blob([content]), 'report.txt')
  return fetch(`${service.url}/api/v2/attestations/demo-org/load/trail/begun/generic`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
}

const ATTEST = '/api/v2/attestations/demo-org/load/trail/begun/generic'

async function attachAll(
  { service, key }: Rig,
  name: string,
  contents: readonly string[],
): Promise<Response> {
  const form = new FormData()
  form.append('data_json', JSON.stringify({ attestation_name: name, is_compliant: true }))
  for (const content of contents) form.append('attachment_file', new Blob([content]), 'report.txt')
  const headers = { authorization: `Bearer ${key}` }
  return fetch(`${service.url}${ATTEST}`, { method: 'POST', headers, body: form })
}

/** The stored attestations. */
async function listNames({ service, key }: Rig): Promise<string[]> {
  const { text } = await service.call('GET', '/api/v2/attestations/demo-org', { key })
  return JSON.parse(text).data.map(({ attestation_name }: { attestation_name: string }) => attestation_name)
}

const listObjects = (folder: string) =>
  readdirSync(folder, { recursive: true }).filter(path => /[0-9a-f]{64}$/.test(String(path)))

const listLines = (service: Service) =>
  service
    .stderr()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))

const listWarnings = (service: Service) =>
  listLines(service).filter(({ level, msg }) => level >= 40 && /evidence/.test(msg))

const readChecks = async ({ url }: Service) => {
  const response = await fetch(`${url}/ready`, { headers: { accept: 'application/json' } })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

describe('a full evidence disk', () => {
  it('507 with Retry-After, one warning for all requests, and /ready reports why', async () => {
    // A limit on the size of the process's files: nothing can be written, as on a full disk.
    const rig = await startWithFolder('ulimit -f 0')
    const answers: [number, string | null, unknown][] = []
    for (let i = 0; i < SENT; i++) {
      const response = await attach(rig, 'x'.repeat(i * 10_000 + 1), `scan-${i}`)
      answers.push([response.status, response.headers.get('retry-after'), await response.json()])
    }
    const message = 'The evidence store is full; try again when the operator has made room'
    expect(answers).toEqual(Array.from({ length: SENT }, () => [507, '30', { message }]))
    expect(listWarnings(rig.service)).toMatchObject([
      { level: 40, msg: 'evidence cannot be stored', reason: 'the evidence store is full' },
    ])
    expect(listLines(rig.service).filter(({ msg }) => msg === 'request failed')).toEqual([])
    expect((await fetch(`${rig.service.url}/ready`)).status).toBe(503)
    expect(await readChecks(rig.service)).toMatchObject({
      status: 503,
      body: { ready: false, checks: { database: 'OK', evidence: 'the evidence store is full' } },
    })
  })
})

describe('an attestation with several files', () => {
  it('507 and nothing stored, if the disk is full at its second file', async () => {
    // Files up to this size can be written: the first one, but not the second.
    const rig = await startWithFolder('ulimit -f 64')
    const first = await attachAll(rig, 'first', ['a', 'b'])
    expect(first.status).toBe(201)
    const { status } = await attachAll(rig, 'second', ['small', 'x'.repeat(5_000_000), 'small too'])
    expect(status).toBe(507)
    expect(await listNames(rig)).toEqual(['first'])
    expect(readdirSync(join(rig.folder, 'staging'))).toEqual([])
    expect(listObjects(rig.folder)).toHaveLength(2)
  })

  it('leaves no partial attestation after kill -9 in the middle of its second file', async () => {
    const rig = await startWithFolder()
    const { service, folder } = rig
    const { hostname, port } = new URL(service.url)
    const sending = http.request({
      hostname,
      port,
      method: 'POST',
      path: ATTEST,
      headers: { authorization: `Bearer ${rig.key}`, 'content-type': 'multipart/form-data; boundary=B' },
    })
    sending.on('error', () => undefined)
    const formatPart = (head: string, content: string) =>
      `--B\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
    sending.write(
      formatPart('name="data_json"', JSON.stringify({ attestation_name: 'half', is_compliant: true })) +
        formatPart('name="attachment_file"; filename="a"', 'whole') +
        formatPart('name="attachment_file"; filename="b"', 'x'.repeat(1_000_000)).slice(0, -10),
    )
    await until(() => readdirSync(join(folder, 'staging')).length === 2)
    service.signal('SIGKILL')
    await service.ended
    const again = { ...rig, service: await startService({ data_dir: makeScratchFolder(), env: rig.env }) }
    expect(await listNames(again)).toEqual([])
    expect(listObjects(folder)).toEqual([])
    expect((await attachAll(again, 'half', ['whole', 'other'])).status).toBe(201)
    expect(await listNames(again)).toEqual(['half'])
  })
})

describe('the log on a full evidence disk', () => {
  it('continues with a proof for each write, and is published when there is room', async () => {
    const rig = await startWithFolder('ulimit -f 0')
    const { service, key, folder } = rig
    const readStatus = async ({ call }: Service) =>
      JSON.parse((await call('GET', '/api/v2/log/demo-org/status', { key })).text)
    const countFailures = async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text()
      return Number(/^waybill_log_publishing_failures_total (\d+)$/m.exec(metrics)?.[1])
    }
    await until(async () => (await countFailures()) > 0)
    for (let i = 0; i < SENT; i++) {
      const { status, headers } = await service.call('PUT', '/api/v2/trails/demo-org/load', {
        key,
        body: { name: `trail-${i}` },
        headers: { prefer: 'waybill-proof' },
      })
      expect(status).toBe(201)
      expect(headers).toHaveProperty('waybill-log-proof')
    }
    const { state, size, checkpoint } = await readStatus(service)
    expect([state, checkpoint]).toEqual(['ok', null])
    service.signal('SIGTERM')
    await service.ended
    const roomy = await startService({ data_dir: makeScratchFolder(), env: rig.env })
    await until(async () => (await readStatus(roomy)).checkpoint?.size >= size)
    expect(readdirSync(join(folder, 'log'))).not.toEqual([])
  })
})

describe('an unavailable evidence folder', () => {
  it.each([
    ['the folder is gone', (_: string) => undefined],
    ['a file is in its place', (folder: string) => writeFileSync(folder, '')],
  ])('%s: 503 with Retry-After, a warning for each change, and well again by itself', async (_, replace) => {
    const rig = await startWithFolder()
    const { service, folder } = rig
    expect((await attach(rig, 'before', 'before')).status).toBe(201)
    renameSync(folder, `${folder}.away`)
    replace(folder)
    for (let i = 0; i < SENT; i++) {
      const response = await attach(rig, 'x'.repeat(i * 10_000 + 1), `scan-${i}`)
      expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
        503,
        '5',
        { message: 'The evidence store cannot be used at the moment; try again' },
      ])
    }
    await until(async () => (await readChecks(service)).body.checks.evidence !== 'OK')
    expect(await readChecks(service)).toMatchObject({
      status: 503,
      body: {
        checks: { database: 'OK', evidence: expect.stringMatching(/^the evidence store cannot be used: E/) },
      },
    })
    rmSync(folder, { force: true })
    renameSync(`${folder}.away`, folder)
    await until(async () => (await readChecks(service)).status === 200)
    expect((await attach(rig, 'after', 'after')).status).toBe(201)
    expect(listWarnings(service).map(({ msg }) => msg)).toEqual(['evidence cannot be stored'])
    expect(listLines(service).filter(({ msg }) => msg === 'evidence can be stored again')).toHaveLength(1)
    expect(listLines(service).filter(({ msg }) => msg === 'request failed')).toEqual([])
  })
})

describe('an object store that hangs', () => {
  it('503 with Retry-After, although the connection was silent for longer than a client may be', async () => {
    const store = net.createServer(socket => socket.on('error', () => undefined).resume())
    await new Promise<void>(resolve => store.listen(0, '127.0.0.1', resolve))
    addCleanUp(() => void store.close())
    const { port } = store.address() as net.AddressInfo
    const rig = await startWithFolder(undefined, `s3://id:secret@evidence?endpoint=http://127.0.0.1:${port}`)
    const [answer, checks] = await Promise.all([attach(rig, 'x', 'scan'), readChecks(rig.service)])
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '5',
      { message: 'The evidence store is not responding; try again' },
    ])
    expect(checks.body.checks.evidence).toBe('the evidence store is not responding')
  })
})
