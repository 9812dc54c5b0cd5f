// Sends a batch as syslog messages over TLS (RFC 5424 and 5425), on its own connection. Syslog has no responses: a
// receiver that ends the connection after we ended our side has read everything before.
import type { Egress } from '@waybill/egress'
import type { SyslogSink } from '../settings/audit-sinks.ts'
import type { Batch, Refusal, Sender, SinkRecord } from './batch.ts'
import { WARNING_KINDS } from './sink-event.ts'

/** Facility 13 (log audit), severity 6 (informational) or 4 (warning). */
const AUDIT = 13 * 8
const [WARNING, INFORMATIONAL] = [4, 6]
/** The private enterprise number reserved for examples and documentation (RFC 5612). */
const ENTERPRISE = 32473
const MAX_HOST = 255

export interface SyslogParts {
  egress: Pick<Egress, 'connect'>
  limit_ms: number
  /** The host of the service, as people know it. */
  host_name: string
}

export function makeSyslogSender({ host, port }: SyslogSink, parts: SyslogParts): Sender {
  return {
    send: async batch => {
      try {
        const socket = await parts.egress.connect(host, port, { tls: true })
        return await sendAll(socket, formatFrames(batch, parts.host_name), parts.limit_ms)
      } catch (error) {
        return `The receiver cannot be reached: ${(error as Error).message}`
      }
    },
  }
}

type Socket = Awaited<ReturnType<Egress['connect']>>

function sendAll(socket: Socket, frames: Buffer, limit_ms: number): Promise<Refusal> {
  return new Promise(resolve => {
    const end = (refusal: Refusal) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(refusal)
    }
    const timer = setTimeout(
      () => end(`The receiver did not end the connection within ${limit_ms / 1000} seconds`),
      limit_ms,
    )
    let is_sent = false
    socket.on('error', error => end(`The connection was lost: ${error.message}`))
    socket.on('end', () => end(is_sent ? undefined : 'The receiver ended the connection too early'))
    socket.on('close', () => end('The connection was lost'))
    // Reads and drops whatever the receiver sends, so that the end of the connection is noticed.
    socket.resume()
    socket.end(frames, () => {
      is_sent = true
    })
  })
}

/** Prefixes each message with its length in bytes, as RFC 5425 requires. */
function formatFrames({ records }: Batch, host_name: string): Buffer {
  return Buffer.concat(
    records.flatMap(record => {
      const message = Buffer.from(formatMessage(record, host_name), 'utf8')
      return [Buffer.from(`${message.length} `), message]
    }),
  )
}

function formatMessage({ event, line }: SinkRecord, host_name: string): string {
  const priority = AUDIT + (WARNING_KINDS.has(event.kind) ? WARNING : INFORMATIONAL)
  const time = new Date(Math.round(event.timestamp * 1000)).toISOString()
  const values = {
    id: event.id,
    org: event.org,
    actor: event.actor,
    log: `${event.log.epoch}-${event.log.number}`,
  }
  const data = Object.entries(values).map(([name, value]) => `${name}="${escapeValue(value)}"`)
  const host = host_name.replaceAll(/[^\x21-\x7e]/g, '-').slice(0, MAX_HOST) || '-'
  return `<${priority}>1 ${time} ${host} waybill - ${event.kind.slice(0, 32)} [waybill@${ENTERPRISE} ${data.join(' ')}] ${line}`
}

const escapeValue = (value: string) => value.replaceAll(/["\\\]]/g, character => `\\${character}`)
