// Forms with several files, written by hand: each part with the headers that a test wants.
import { createHash } from 'node:crypto'
import type { Client, TestResponse } from './harness.ts'

const BOUNDARY = 'waybill-test-boundary'

export interface SentFile {
  name?: string
  content: string | Uint8Array
  /** Additional headers, such as `Content-Encoding: gzip`. */
  headers?: readonly string[]
}

export const hashOf = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

export const buildFilePart = ({ name = 'file.bin', content, headers = [] }: SentFile): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        `--${BOUNDARY}`,
        `Content-Disposition: form-data; name="attachment_file"; filename="${name}"`,
        ...headers,
        '',
        '',
      ].join('\r\n'),
      'latin1',
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])

export const buildJsonPart = (body: unknown): Buffer =>
  Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="data_json"\r\n\r\n${JSON.stringify(body)}\r\n`,
  )

/** Sends the parts in this order. */
export function sendParts(client: Client, path: string, parts: readonly Buffer[]): Promise<TestResponse> {
  const body = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
  return client.call('POST', path, body, { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` })
}

/** Reports a generic attestation with files, the JSON first. */
export function attestFiles(
  client: Client,
  trail: string,
  attestation_name: string,
  files: readonly SentFile[],
): Promise<TestResponse> {
  const json = buildJsonPart({ attestation_name, is_compliant: true })
  return sendParts(client, `${trail}/generic`, [json, ...files.map(buildFilePart)])
}
