import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeEgressTo } from '../../test/egress.ts'
import { openEvidence, parseS3Location } from './open.ts'

const NO_CREDENTIALS = { access_key_id: undefined, secret_access_key: undefined }
const CREDENTIALS = { access_key_id: 'from-environment', secret_access_key: 'secret-from-environment' }

let data_dir: string
beforeEach(() => {
  data_dir = mkdtempSync(join(tmpdir(), 'waybill-open-'))
})
afterEach(() => rmSync(data_dir, { recursive: true, force: true }))

const open = (evidence_url?: string) =>
  openEvidence(
    { evidence_url, data_dir, s3_credentials: NO_CREDENTIALS },
    randomUUID,
    new Date(),
    makeEgressTo(),
  )

describe('without a setting and with file://', () => {
  it('uses the folder evidence in the data directory, even if that does not exist yet', async () => {
    rmSync(data_dir, { recursive: true })
    await open()
    expect(existsSync(join(data_dir, 'evidence', 'staging'))).toBe(true)
  })

  it('uses the folder of the URL', async () => {
    const folder = join(data_dir, 'an other place')
    await open(pathToFileURL(folder).href)
    expect(existsSync(join(folder, 'staging'))).toBe(true)
  })

  it('rejects an unusable folder with a one-line message', async () => {
    writeFileSync(join(data_dir, 'file'), '')
    const refused = open(pathToFileURL(join(data_dir, 'file')).href)
    await expect(refused).rejects.toThrow('The evidence folder cannot be used')
    await expect(open('file://other-host/folder')).rejects.toThrow('must be a folder on this machine')
  })
})

describe('with s3://', () => {
  it('reads the bucket, prefix, endpoint and region from the URL', () => {
    const url = new URL('s3://my-bucket/a/b/?endpoint=http://127.0.0.1:9000/&region=eu-west-1')
    expect(parseS3Location(url, CREDENTIALS)).toEqual({
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-west-1',
      bucket: 'my-bucket',
      prefix: 'a/b',
      access_key_id: 'from-environment',
      secret_access_key: 'secret-from-environment',
    })
  })

  it('defaults to the AWS endpoint, and prefers the credentials in the URL', () => {
    expect(parseS3Location(new URL('s3://key:se%2Fcret@bucket?region=eu-west-1'), CREDENTIALS)).toMatchObject(
      {
        endpoint: 'https://s3.eu-west-1.amazonaws.com',
        prefix: '',
        access_key_id: 'key',
        secret_access_key: 'se/cret',
      },
    )
  })

  it.each([
    ['s3://bucket', 'AWS_ACCESS_KEY_ID'],
    ['s3://key:hush@bucket?endpoint=ftp://x', 'endpoint'],
    ['s3:///prefix?endpoint=http://x', 'bucket'],
  ])('rejects %s with a one-line message without secrets', async (url, expected) => {
    const refusal = await open(url).catch(error => error)
    expect(refusal.message).toContain(expected)
    expect(refusal.message).not.toContain('hush')
  })
})
