// Stores a batch as an object in a bucket: lines of JSON, compressed. The name contains the numbers of its first and
// last event, so a repeated batch is the same object and no object overwrites another.
import { gzipSync } from 'node:zlib'
import type { Egress } from '@waybill/egress'
import { S3mini } from 's3mini'
import { parseS3Location } from '../evidence/open.ts'
import type { S3Sink } from '../settings/audit-sinks.ts'
import type { Batch, Sender } from './batch.ts'

const DIGITS = 12

export interface S3Parts {
  egress: Pick<Egress, 'fetch'>
  limit_ms: number
  /** The evidence store's credentials; a sink can have its own. */
  s3_credentials: { access_key_id: string | undefined; secret_access_key: string | undefined }
}

export function makeS3Sender(sink: S3Sink, { egress, limit_ms, s3_credentials }: S3Parts): Sender {
  const own = { access_key_id: sink.access_key_id, secret_access_key: sink.secret_access_key }
  const credentials = own.access_key_id === undefined ? s3_credentials : own
  const location = parseS3Location(new URL(sink.url), credentials, `WAYBILL_AUDIT_SINKS (${sink.name})`)
  const s3 = new S3mini({
    accessKeyId: location.access_key_id,
    secretAccessKey: location.secret_access_key,
    endpoint: `${location.endpoint}/${location.bucket}`,
    region: location.region,
    fetch: egress.fetch,
    requestAbortTimeout: limit_ms,
  })
  return {
    send: async batch => {
      try {
        const body = gzipSync(batch.records.map(({ line }) => `${line}\n`).join(''))
        await s3.putObject(buildKey(location.prefix, batch), body, 'application/gzip')
        return undefined
      } catch (error) {
        return `The bucket has not stored the object: ${(error as Error).message}`
      }
    },
  }
}

function buildKey(prefix: string, { org, first, last }: Batch): string {
  const place = ({ epoch, number }: Batch['first']) => `${epoch}-${String(number).padStart(DIGITS, '0')}`
  return `${prefix === '' ? '' : `${prefix}/`}${org}/${place(first)}_${place(last)}.ndjson.gz`
}
