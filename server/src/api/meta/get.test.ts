import * as zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeStatementLog } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ settings: { WAYBILL_REGION: 'eu' } })
})
afterAll(() => app.stop())

describe('200', () => {
  it('returns version, limits and features to anyone, without using the database', async () => {
    const { statements, waits, during } = makeStatementLog()
    const { status, body } = await during(() => app.anonymous.get('/meta'))
    expect(status).toBe(200)
    expect(body).toEqual({
      product: 'Waybill',
      version: '0.0.0-test',
      api_version: '2.0',
      region: 'eu',
      limits: {
        json_body_bytes: 1_048_576,
        environment_report_bytes: 16_777_216,
        multipart_json_part_bytes: 1_048_576,
        multipart_file_part_bytes: 10_485_760,
        multipart_request_bytes: 33_554_432,
        evidence_files: 10,
        evidence_file_bytes: 67_108_864,
        evidence_content_bytes: 268_435_456,
        json_depth: 64,
        url_bytes: 8192,
      },
      // Node has Zstandard since 22.15.
      evidence_encodings: 'createZstdDecompress' in zlib ? ['gzip', 'zstd'] : ['gzip'],
      features: { controls: true },
    })
    expect([statements, waits]).toEqual([[], []])
  })

  it('ignores API keys', async () => {
    expect((await app.makeClientWith('wrong').get('/meta')).status).toBe(200)
  })
})

describe('400', () => {
  it('refuses an unknown parameter', async () => {
    const { status, body } = await app.anonymous.get('/meta?verbose=1')
    expect(status).toBe(400)
    expect(body.errors).toEqual({ 'query.verbose': 'Extra inputs are not permitted [input: 1]' })
  })
})
