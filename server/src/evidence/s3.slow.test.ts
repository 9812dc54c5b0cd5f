import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeEgressTo } from '../../test/egress.ts'
import { describeEvidenceStore } from '../../test/evidence-contract.ts'
import { type S3Server, startS3Server } from '../../test/s3-server.ts'
import type { EvidenceStore } from './evidence.ts'
import { openEvidence } from './open.ts'

const ORG = '01980000-0000-7000-8000-000000000000'
const MIB = 1024 * 1024
const NO_CREDENTIALS = { access_key_id: undefined, secret_access_key: undefined }

let data_dir: string
let server: S3Server
let store: EvidenceStore
const open = (path: string) => {
  const address = `s3://my-key:my-secret@${path}?endpoint=${server.endpoint}&region=eu-west-1`
  return openEvidence(
    { evidence_url: address, data_dir, s3_credentials: NO_CREDENTIALS },
    randomUUID,
    new Date(),
    makeEgressTo('127.0.0.1'),
  )
}
beforeEach(async () => {
  data_dir = mkdtempSync(join(tmpdir(), 'waybill-s3-'))
  server = await startS3Server('bucket')
  store = await open('bucket/some/prefix')
})
afterEach(async () => {
  await server.stop()
  rmSync(data_dir, { recursive: true, force: true })
})

const hashContent = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const listStaged = () => readdirSync(join(data_dir, 'evidence', 'staging'))
const buildKey = (org_id: string, sha256: string) => `some/prefix/${org_id}/${sha256.slice(0, 2)}/${sha256}`

describeEvidenceStore('on S3', async () => ({
  store,
  staged: async () => listStaged(),
  damage: async (org_id, sha256, content) =>
    void server.objects.set(buildKey(org_id, sha256), { content, modified: new Date() }),
}))

describe('the evidence store on S3', () => {
  it('uploads small content at once and large content in parts of 8 MiB, below its prefix, signed', async () => {
    for (const [bytes, steps] of [
      [8 * MIB, ['put', 'head']],
      [8 * MIB + 1, ['create', 'part', 'part', 'complete', 'head']],
    ] as const) {
      server.requests.length = 0
      const content = randomBytes(bytes)
      await (await store.stage(ORG, 'a', Readable.from([content]))).keep()
      expect(server.requests).toEqual(steps)
      expect(server.objects.get(buildKey(ORG, hashContent(content)))?.content.equals(content)).toBe(true)
    }
    const signatures = [...server.authorizations]
    expect(signatures.length).toBeGreaterThan(0)
    for (const signature of signatures) {
      expect(signature).toMatch(/^AWS4-HMAC-SHA256 Credential=my-key\/\d{8}\/eu-west-1\/s3\/aws4_request/)
    }
  })

  it('works without a prefix', async () => {
    const bare = await open('bucket')
    await (await bare.stage(ORG, 'a', Readable.from(['x']))).keep()
    expect([...server.objects.keys()]).toEqual([
      buildKey(ORG, hashContent(Buffer.from('x'))).slice('some/prefix/'.length),
    ])
  })

  it('lists page by page, and only its own objects', async () => {
    for (const text of ['a', 'b', 'c', 'd', 'e'])
      await (await store.stage(ORG, 'x', Readable.from([text]))).keep()
    server.objects.set('some/prefix/readme', { content: Buffer.from('x'), modified: new Date() })
    server.objects.set('other/prefix', { content: Buffer.from('x'), modified: new Date() })
    let count = 0
    for await (const _ of store.list()) count += 1
    expect(count).toBe(5)
  })

  it.each(['put', 'create', 'part', 'complete'])(
    'returns 503 when %s fails, keeps nothing, and can be retried',
    async step => {
      const content = randomBytes(step === 'put' ? 10 : 9 * MIB)
      const evidence = await store.stage(ORG, 'a', Readable.from([content]))
      server.failWith = step_name => (step_name === step ? 500 : undefined)
      await expect(evidence.keep()).rejects.toMatchObject({ status: 503 })
      expect([server.objects.size, server.uploads.size]).toEqual([0, 0])
      server.failWith = () => undefined
      await evidence.keep()
      expect(server.objects.size).toBe(1)
      expect(listStaged()).toEqual([])
    },
  )

  it.each([
    ['nothing', () => undefined],
    ['less', (content: Buffer) => content.subarray(1)],
    ['something else of the same length', (content: Buffer) => Buffer.alloc(content.length)],
  ] as const)('does not believe a server that confirms an upload and keeps %s', async (_, keep) => {
    const evidence = await store.stage(ORG, 'a', Readable.from([randomBytes(10)]))
    server.keep = keep
    const reason = 'the evidence store confirmed an upload, and has not kept what was sent'
    await expect(evidence.keep()).rejects.toMatchObject({ status: 503, reason })
    await expect(store.probe()).rejects.toMatchObject({ reason })
    server.keep = content => content
    await evidence.keep()
    await store.probe()
  })

  it.each([
    ['knows them', 'known', ['put', 'head', 'put', 'head']],
    ['ignores them', 'ignored', ['put', 'head', 'put', 'head']],
    // It is asked once.
    ['refuses them', 'refused', ['put', 'put', 'head', 'put', 'head']],
  ] as const)('sends checksums, and works with a server that %s', async (_, checksums, steps) => {
    server.checksums = checksums
    for (const text of ['a', 'b']) await (await store.stage(ORG, 'x', Readable.from([text]))).keep()
    expect(server.requests).toEqual(steps)
    const expected = checksums === 'known' ? createHash('sha256').update('a').digest('base64') : undefined
    const stored = server.objects.get(buildKey(ORG, hashContent(Buffer.from('a'))))
    if (checksums !== 'ignored') expect(stored?.checksum).toBe(expected)
  })

  it('takes the missing bucket of a download for a fault, not for missing evidence', async () => {
    expect(await store.open(ORG, 'a'.repeat(64))).toBeUndefined()
    server.failWith = () => [404, 'NoSuchBucket']
    await expect(store.open(ORG, 'a'.repeat(64))).rejects.toMatchObject({ status: 503 })
  })

  it('does not count a completion as success if the object is missing', async () => {
    const evidence = await store.stage(ORG, 'a', Readable.from([randomBytes(9 * MIB)]))
    // Like S3 itself: status 200 with the error in the body.
    server.failWith = step => (step === 'complete' ? 200 : undefined)
    await expect(evidence.keep()).rejects.toMatchObject({ status: 503 })
    await evidence.discard()
    expect(listStaged()).toEqual([])
  })

  it.each([
    ['rejects requests', () => void Object.assign(server, { failWith: () => 403 })],
    ['is down', () => server.stop()],
  ])('returns 503 when the service %s, never that the evidence does not exist', async (_, breakIt) => {
    await breakIt()
    await expect(store.open(ORG, 'a'.repeat(64))).rejects.toMatchObject({ status: 503 })
    const readList = async () => {
      for await (const _ of store.list());
    }
    await expect(readList()).rejects.toMatchObject({ status: 503 })
  })
})
