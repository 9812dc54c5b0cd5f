// Makes the sender of each sink in the settings.
import type { Egress } from '@waybill/egress'
import type { Clock } from '../lib/clock.ts'
import type { AuditSink } from '../settings/audit-sinks.ts'
import type { Sender } from './batch.ts'
import { makeOtlpSender } from './otlp.ts'
import { makeS3Sender, type S3Parts } from './s3.ts'
import { makeSyslogSender } from './syslog.ts'
import { makeWebhookSender } from './webhook.ts'

export interface SenderParts extends Pick<S3Parts, 's3_credentials'> {
  egress: Pick<Egress, 'fetch' | 'connect'>
  clock: Pick<Clock, 'now'>
  version: string
  /** The public URL of the service. */
  base_url: string
  /** How long a receiver may take for one batch. */
  limit_ms: number
}

export function makeSender(sink: AuditSink, parts: SenderParts): Sender {
  switch (sink.kind) {
    case 'webhook':
      return makeWebhookSender(sink, parts)
    case 'otlp':
      return makeOtlpSender(sink, parts)
    case 'syslog':
      return makeSyslogSender(sink, { ...parts, host_name: new URL(parts.base_url).hostname })
    case 's3':
      return makeS3Sender(sink, parts)
  }
}
