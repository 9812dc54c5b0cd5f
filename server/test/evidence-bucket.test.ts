// A bucket fails under a running application: the response, /ready and the log name the same cause, and a download never
// looks whole if it is not.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openEvidence } from '../src/evidence/open.ts'
import { makeEgressTo } from './egress.ts'
import { attestFiles, type SentFile } from './evidence-forms.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { type S3Server, startS3Server } from './s3-server.ts'
import { makeScratchFolder } from './service.ts'

const TRAIL = '/attestations/acme/ci/trail/run'
const WARN = 40
const ERROR = 50

let s3: S3Server
let app: TestApp
let url: string
let lines: { level: number; msg: string; reason?: string; sha256?: string; err?: { message: string } }[]
beforeAll(async () => {
  s3 = await startS3Server('secret-bucket')
  const settings = {
    evidence_url: `s3://my-key:my-secret@secret-bucket?endpoint=${s3.endpoint}`,
    data_dir: makeScratchFolder(),
    s3_credentials: { access_key_id: undefined, secret_access_key: undefined },
  }
  const evidence = await openEvidence(settings, randomUUID, new Date(), makeEgressTo('127.0.0.1'))
  const log = pino({ level: 'warn' }, { write: line => void lines.push(JSON.parse(line)) })
  app = await startTestApp({ evidence, log })
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(async () => {
  await app.stop()
  await s3.stop()
})
beforeEach(async () => {
  Object.assign(s3, { failWith: () => undefined, cut_after: undefined })
  lines = []
})

let attached = 0
const attach = (...files: SentFile[]) => attestFiles(app.member, TRAIL, `scan-${attached++}`, files)

/** Returns the address of the file. */
async function store(file: SentFile): Promise<string> {
  const { status } = await attach(file)
  expect(status).toBe(201)
  const { body } = await app.member.get(`${TRAIL}/scan-${attached - 1}`)
  return `${url}/api/v2${TRAIL}/attestation/${body[0].attestation_id}/evidence`
}

const download = (address: string) =>
  fetch(address, { headers: { authorization: `Bearer ${app.reader.key}` } })

const readEvidenceCheck = async () => {
  const { body } = await app.anonymous.call('GET', '/../../ready', undefined, { accept: 'application/json' })
  return body.checks.evidence
}

/** Changes a bit of what the bucket has. */
function damage(content: Buffer): string {
  const sha256 = createHash('sha256').update(content).digest('hex')
  const changed = Buffer.from(content)
  changed[0] = (changed[0] ?? 0) ^ 1
  const [key] = [...s3.objects.keys()].filter(name => name.endsWith(sha256))
  s3.objects.set(key ?? '', { content: changed, modified: new Date() })
  return sha256
}

describe('a bucket that fails', () => {
  it('is named by its cause in the response, in /ready and in the log, and a new cause at once', async () => {
    const causes = [
      [[403, 'AccessDenied'], 'refuses access: the access key lacks a permission (403 AccessDenied)'],
      [[503, 'SlowDown'], 'asks for fewer requests (503 SlowDown)'],
      [[500, 'InternalError'], 'fails (500 InternalError)'],
    ] as const
    for (const [failure, cause] of causes) {
      s3.failWith = () => [...failure]
      const { status, body } = await attach({ content: 'x' })
      expect([status, body.message]).toEqual([
        503,
        expect.stringContaining(`The evidence store ${cause}; try again`),
      ])
      expect(JSON.stringify(body)).not.toMatch(/secret|my-key|127\.0\.0\.1/)
      expect(await readEvidenceCheck()).toBe(`the evidence store ${cause}`)
    }
    const reasons = lines.filter(({ msg }) => msg === 'evidence cannot be stored').map(({ reason }) => reason)
    expect(reasons).toEqual(causes.map(([, cause]) => `the evidence store ${cause}`))
    expect(lines[0]?.err?.message).toMatch(/^(PUT|GET): 403 AccessDenied: In the words of the store$/)
    s3.failWith = () => undefined
    expect(await readEvidenceCheck()).toBe('OK')
  })
})

describe('a download that the bucket cuts', () => {
  it('before the first byte is a 503 that names the store', async () => {
    const address = await store({ content: 'small' })
    s3.cut_after = 3
    const response = await download(address)
    expect([response.status, await response.json()]).toEqual([
      503,
      { message: 'The evidence store broke off the connection (ECONNRESET); try again' },
    ])
  })

  it('later ends with the connection, and the log blames the store', async () => {
    const content = randomBytes(500_000)
    const address = await store({ content })
    s3.cut_after = 300_000
    const response = await download(address)
    expect(response.headers.get('content-length')).toBe('500000')
    await expect(response.arrayBuffer()).rejects.toThrow()
    const reason = 'the evidence store broke off the connection (ECONNRESET)'
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('a download broke off')
    expect(lines.filter(({ level }) => level >= WARN)).toMatchObject([
      // The cut before is not a minute ago.
      { msg: 'a download broke off', err: { message: expect.stringContaining(reason.slice(1)) } },
    ])
    expect(await readEvidenceCheck()).toBe('OK')
  })
})

describe('damaged evidence', () => {
  it.each([
    ['a small file', Buffer.from('small'), {}],
    ['a compressed file', gzipSync('compressed'), { headers: ['Content-Encoding: gzip'] }],
  ])('is a 500 that says so, and an alarm in the log: %s', async (_, content, more) => {
    const address = await store({ content, ...more })
    const sha256 = damage(content)
    const response = await download(address)
    const { message } = (await response.json()) as { message: string }
    expect([response.status, message]).toEqual([
      500,
      expect.stringMatching(`^The evidence ${sha256} is damaged: `),
    ])
    expect(response.headers.get('content-disposition')).toBeNull()
    expect(lines.filter(({ level }) => level === ERROR)).toContainEqual(
      expect.objectContaining({ msg: 'stored evidence is damaged', sha256 }),
    )
  })

  it('is never sent as a whole', async () => {
    const content = randomBytes(500_000)
    const address = await store({ content })
    damage(content)
    const response = await download(address)
    await expect(response.arrayBuffer()).rejects.toThrow()
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('a download broke off')
  })
})
