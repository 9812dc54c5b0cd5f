// Evidence parts of forms, through a server with its own operation: what is staged, kept, rejected and removed.
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Client,
  makeClient,
  makeFile,
  PATIENT_LIMITS,
  startTestApp,
  type TestApp,
} from '../../test/harness.ts'
import { until } from '../../test/patience.ts'
import { type Deps, defineOperation } from '../api/operation.ts'
import { NO_QUOTAS } from '../domain/quotas.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import { badRequest } from '../lib/errors.ts'
import { makeLog } from '../lib/log.ts'
import { makeWorkCounters } from '../lib/work-counters.ts'
import { NO_RATE_LIMITS } from '../settings/rate-limits.ts'
import { makeAuthenticator } from './authenticate.ts'
import { makeOrgLimiter, makeRateLimiters } from './rate-limit.ts'
import { makeRoom } from './room.ts'
import { makeServer } from './server.ts'

const MIB = 1024 * 1024
const PATH = '/reports/acme'

const report = defineOperation(
  {
    id: 'report',
    method: 'POST',
    path: '/reports/{org}',
    tag: 'Test',
    summary: 'Take a report',
    access: 'member',
    audit: 'none: reads',
    params: Type.Object({ org: Type.String() }),
    body: Type.Object({ outcome: Type.String() }, { additionalProperties: false }),
    form: { json_part: 'data_json', file_parts: ['small'], evidence_part: 'evidence' },
    returns: Type.Unknown(),
    fails: [400, 403, 413],
  },
  async ({ body, files, attachments }) => {
    const { outcome } = body
    if (outcome === 'refuse') throw badRequest('refused by the handler')
    if (outcome === 'fall') throw new TypeError('a bug')
    if (outcome === 'keep') for (const attachment of attachments) await attachment.keep()
    const [first] = attachments
    const { sha256, bytes, name } = first?.file ?? {}
    const more = attachments.length > 1 ? { all: attachments.map(({ file }) => file) } : {}
    return { sha256, bytes, name, small: files.small?.toString(), ...more }
  },
)

let app: TestApp
let server: FastifyInstance
let client: Client
let port: number
/** Every call of `stage`, so that a test can see what was rejected before the file was read. */
let stagings = 0
let stage_fault: Error | undefined

beforeAll(async () => {
  app = await startTestApp()
  const evidence: EvidenceStore = {
    ...app.evidence,
    stage: (...args) => {
      stagings += 1
      return stage_fault ? Promise.reject(stage_fault) : app.evidence.stage(...args)
    },
  }
  const deps = { db: app.db, evidence, base_url: 'http://waybill.test' } as unknown as Deps
  const gate = {
    db: app.db,
    authenticator: makeAuthenticator(
      app.db,
      app.clock,
      {
        sso: {
          has_provider: false,
          required: false,
          mail_domains: [],
          vouching_domains: [],
          break_glass: [],
        },
        session_limits: { idle_ms: 1, max_ms: 1 },
        quotas: NO_QUOTAS,
        work: makeWorkCounters(),
      },
      () => undefined,
    ),
    limiters: makeRateLimiters(NO_RATE_LIMITS),
    org_limiter: makeOrgLimiter(app.clock),
    clock: app.clock,
    room: makeRoom({ per_client_bytes: 1, in_all_bytes: 1, wait_ms: 0 }),
  }
  let requests = 0
  const newRequestId = () => `request-${requests++}`
  server = await makeServer({
    operations: [report],
    deps,
    gate,
    logger: makeLog('silent'),
    newRequestId,
    client_limits: PATIENT_LIMITS.clients,
    isDraining: () => false,
    trusted_proxies: [],
    tls_files: undefined,
    tracer: undefined,
    pace: { bytes_per_s: 0, ended: { reader: 0, sender: 0 } },
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const address = server.server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
  client = makeClient(server, app.member.key)
})
afterAll(async () => {
  await server.close()
  await app.stop()
})
beforeEach(() => {
  stagings = 0
  stage_fault = undefined
})

const listStaged = () => readdirSync(join(app.evidence_dir, 'staging'))
const listKept = async () => {
  const found: string[] = []
  for await (const { sha256 } of app.evidence.list()) found.push(sha256)
  return found
}
const buildJson = (outcome: string) => JSON.stringify({ outcome })
const hashText = (text: string) => createHash('sha256').update(text).digest('hex')

describe('an evidence part', () => {
  it('reaches the handler staged, and is removed unless the handler keeps it', async () => {
    const parts = (outcome: string) => ({
      data_json: buildJson(outcome),
      evidence: makeFile('junit'),
      small: makeFile('s'),
    })
    const left = await client.form('POST', PATH, parts('leave'))
    expect(left.body).toEqual({ sha256: hashText('junit'), bytes: 5, name: 'evidence.bin', small: 's' })
    expect([listStaged(), await listKept()]).toEqual([[], []])
    expect((await client.form('POST', PATH, parts('keep'))).status).toBe(200)
    expect([listStaged(), await listKept()]).toEqual([[], [hashText('junit')]])
  })

  it('may come before the JSON part, may be absent, and has a limit of 64 MiB', async () => {
    const first = await client.form('POST', PATH, {
      evidence: makeFile('first'),
      data_json: buildJson('leave'),
    })
    expect(first.body.sha256).toBe(hashText('first'))
    expect((await client.form('POST', PATH, { data_json: buildJson('leave') })).body).toEqual({})
    const whole = 'x'.repeat(64 * MIB)
    const { status, body } = await client.form('POST', PATH, {
      data_json: buildJson('leave'),
      evidence: makeFile(whole),
    })
    expect([status, body.bytes, body.sha256]).toEqual([200, 64 * MIB, hashText(whole)])
    expect(listStaged()).toEqual([])
  })

  it.each([
    ['a path', '../../etc/passwd', 'passwd'],
    ['control characters', 'a\u0001b\u007f.txt', 'a_b_.txt'],
    ['letters of any script', 'Prüfbericht 試験.pdf', 'Prüfbericht 試験.pdf'],
    ['nothing', '', 'evidence'],
    ['very much', 'n'.repeat(1000), 'n'.repeat(255)],
  ])("keeps the sender's file name, as harmless text: %s", async (_, filename, expected) => {
    const { body } = await postRaw(
      buildPart('data_json', buildJson('leave')) + buildPart('evidence', 'x', filename) + END,
    )
    expect(body.name).toBe(expected)
  })
})

describe('nothing stays behind', () => {
  const evidence = makeFile('evidence')
  it.each([
    ['the handler refuses', 400, { data_json: buildJson('refuse'), evidence }],
    ['the handler falls', 500, { data_json: buildJson('fall'), evidence }],
    ['an undeclared part follows', 400, { data_json: buildJson('keep'), evidence, other: 'x' }],
    ['the JSON part follows and is invalid', 400, { evidence, data_json: '{"outcome":1}' }],
    ['the JSON part never comes', 400, { evidence }],
    [
      'it is one byte too long',
      413,
      { data_json: buildJson('keep'), evidence: makeFile('x'.repeat(64 * MIB + 1)) },
    ],
  ])('when %s', async (_, status, parts) => {
    const before = await listKept()
    expect((await client.form('POST', PATH, parts)).status).toBe(status)
    expect([listStaged(), await listKept()]).toEqual([[], before])
  })

  it.each([
    ['the body is cut', ''],
    ['a part that is read whole comes twice', `${buildPart('data_json', buildJson('keep'))}--B--\r\n`],
  ])('when %s', async (_, rest) => {
    const { status } = await postRaw(
      buildPart('data_json', buildJson('keep')) + buildPart('evidence', 'x', 'x') + rest,
    )
    expect(status).toBe(400)
    expect(listStaged()).toEqual([])
  })

  it('when the sender goes away in the middle', async () => {
    const request = post()
    request.on('error', () => undefined)
    const body = buildPart('data_json', buildJson('keep')) + buildPart('evidence', 'x'.repeat(MIB), 'x')
    await new Promise(resolve => request.write(body.slice(0, -1000), resolve))
    await until(() => listStaged().length === 1)
    request.destroy()
    await until(() => listStaged().length === 0)
  })

  it('and a failure of the store is a 500', async () => {
    stage_fault = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    const { status, body } = await client.form('POST', PATH, { data_json: buildJson('keep'), evidence })
    expect([status, body]).toEqual([500, { message: 'Internal server error' }])
  })
})

describe('a form that is refused early', () => {
  it('is refused by its JSON part before the file behind it is read', async () => {
    const { status, body } = await client.form('POST', PATH, {
      data_json: '{"outcome":1}',
      evidence: makeFile('x'.repeat(3 * MIB)),
    })
    expect([status, stagings]).toEqual([400, 0])
    expect(Object.keys(body.errors)).toEqual(['data_json.outcome'])
  })

  it.each([
    ['an invalid JSON part', buildPart('data_json', '{"outcome":1}'), 400],
    ['an unknown part', buildPart('data_json', buildJson('keep')) + buildPart('other', 'x', 'x'), 400],
    ['a part beyond the limit', buildPart('data_json', buildJson('keep')), 413],
  ])('responds to a sender that is still writing: %s', async (_, start, status) => {
    const answer = new Promise<number>((resolve, reject) => {
      const request = post(response => resolve(response.statusCode ?? 0))
      request.on('error', reject)
      request.write(start + buildPart('evidence', '', 'x').slice(0, -2))
      for (let i = 0; i < 70; i++) request.write(Buffer.alloc(MIB))
      request.end(`\r\n${END}`)
    })
    expect(await answer).toBe(status)
    expect(listStaged()).toEqual([])
  })
})

const END = '--B--\r\n'
function buildPart(name: string, value: string, filename?: string): string {
  const file_name = filename === undefined ? '' : `; filename="${filename}"`
  return `--B\r\nContent-Disposition: form-data; name="${name}"${file_name}\r\n\r\n${value}\r\n`
}
const FORM_TYPE = 'multipart/form-data; boundary=B'
const postRaw = (body: string) => client.call('POST', PATH, body, { 'content-type': FORM_TYPE })

function post(onResponse?: (response: http.IncomingMessage) => void): http.ClientRequest {
  const headers = { authorization: `Bearer ${client.key}`, 'content-type': FORM_TYPE }
  return http.request({ port, method: 'POST', path: `/api/v2${PATH}`, headers }, response => {
    response.resume()
    onResponse?.(response)
  })
}
