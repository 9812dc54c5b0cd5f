// Posts a batch as lines of JSON, with the headers of Standard Webhooks: the id stays the same when a batch is repeated.

import { buildSignatureHeaders } from '../domain/notification/signature.ts'
import type { Clock } from '../lib/clock.ts'
import type { WebhookSink } from '../settings/audit-sinks.ts'
import type { Sender } from './batch.ts'
import { type HttpParts, postToSink } from './http-request.ts'

export function makeWebhookSender(
  { url, secret }: WebhookSink,
  parts: HttpParts & { clock: Pick<Clock, 'now'> },
): Sender {
  return {
    send: ({ id, records }) => {
      const body = records.map(({ line }) => `${line}\n`).join('')
      const timestamp_s = parts.clock.now().getTime() / 1000
      const secrets = secret === undefined ? [] : [secret]
      const headers = {
        'content-type': 'application/x-ndjson',
        ...buildSignatureHeaders({ id, timestamp_s, body, secrets }),
      }
      return postToSink(parts, { url, headers, body })
    },
  }
}
