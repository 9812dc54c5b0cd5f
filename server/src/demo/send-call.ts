// Sends a demo call to the server. A busy machine responds 503 and has stored nothing, so the call is repeated.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { API_PREFIX } from '../http/server.ts'
import { assert } from '../lib/assert.ts'
import type { Call } from './call.ts'

const BUSY = 503
const RETRY_MS = 1_000
const MAX_REPEATS = 120
const BOUNDARY = 'waybill-demo-form'

type Answer = Awaited<ReturnType<FastifyInstance['inject']>>

/** `pause` is called before a call is repeated. */
export async function sendCall(
  server: FastifyInstance,
  call: Call,
  key: string | undefined,
  pause: () => Promise<unknown> = () => sleep(RETRY_MS),
): Promise<Answer> {
  assert(key !== undefined, 'every caller of the demo has a key')
  let answer = await inject(server, call, key)
  for (let repeats = 0; answer.statusCode === BUSY && repeats < MAX_REPEATS; repeats++) {
    await pause()
    answer = await inject(server, call, key)
  }
  assert(answer.statusCode < 300, `the demo's ${call.method} ${call.path} is accepted: ${answer.body}`)
  return answer
}

function inject(server: FastifyInstance, { method, path, body, file }: Call, key: string): Promise<Answer> {
  const form = file && renderForm(JSON.stringify(body), file)
  const type = form ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json'
  return server.inject({
    method,
    url: API_PREFIX + path,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { payload: form ?? JSON.stringify(body) }),
  })
}

function renderForm(json: string, { part, name, content }: NonNullable<Call['file']>): string {
  return [
    `--${BOUNDARY}`,
    'content-disposition: form-data; name="data_json"',
    'content-type: application/json',
    '',
    json,
    `--${BOUNDARY}`,
    `content-disposition: form-data; name="${part}"; filename="${name}"`,
    'content-type: application/octet-stream',
    '',
    content,
    `--${BOUNDARY}--`,
    '',
  ].join('\r\n')
}
