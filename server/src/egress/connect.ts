// Opens a connection to one of the judged addresses and hands it out when it is proven: the peer is the address that was
// judged, and with TLS the certificate is good for the name. Nothing of a message is written before that.
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { EgressError } from './egress-error.ts'
import { isSameAddress } from './ip-range.ts'

/** No address gets less than this part of the time, however many there are. */
const LEAST_SHARE = 0.2

export interface Destination {
  /** The name that the certificate must be good for; an address when the URL has one. */
  host: string
  port: number
  addresses: readonly string[]
  /** Undefined for a connection without TLS. */
  secure: SecureContext | undefined
}

export interface ConnectOptions {
  limit_ms: number
  monotonic_ms(): number
  signal: AbortSignal
}

/** One address after the other, so that a dead one does not stand for all. Rejects with `Missed`. */
export async function openConnection(to: Destination, options: ConnectOptions): Promise<Socket> {
  const until_ms = options.monotonic_ms() + options.limit_ms
  let missed = new EgressError('slow_connect')
  for (const [at, address] of to.addresses.entries()) {
    const left_ms = until_ms - options.monotonic_ms()
    if (left_ms <= 0) throw new EgressError('slow_connect')
    const share_ms = Math.max(left_ms / (to.addresses.length - at), options.limit_ms * LEAST_SHARE)
    try {
      return await attempt(to, address, Math.min(left_ms, share_ms), options.signal)
    } catch (error) {
      if (!(error instanceof EgressError) || error.reason === 'not_trusted') throw error
      missed = error
    }
  }
  throw missed
}

function attempt(to: Destination, address: string, limit_ms: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const plain = connect({ host: address, port: to.port, autoSelectFamily: false, noDelay: true })
    const settle = (outcome: () => void) => {
      clearTimeout(late)
      signal.removeEventListener('abort', onAbort)
      outcome()
    }
    const fail = (reason: unknown) => {
      plain.destroy()
      settle(() => reject(reason))
    }
    const onAbort = () => fail(signal.reason)
    const late = setTimeout(() => fail(new EgressError('slow_connect')), limit_ms)
    signal.addEventListener('abort', onAbort)
    // Both stay: an error that comes later is told by whoever writes, and one that nobody hears would end the process.
    plain.on('error', error => fail(new EgressError('not_connected', error)))
    plain.on('close', () => fail(new EgressError('not_connected')))
    plain.once('connect', () => {
      if (!isSameAddress(plain.remoteAddress ?? '', address)) return fail(new EgressError('inner_address'))
      if (!to.secure) return settle(() => resolve(plain))
      const secured = startTls(plain, to.host, to.secure)
      secured.once('secureConnect', () => settle(() => resolve(secured)))
      secured.on('error', error =>
        fail(new EgressError(isLost(error) ? 'not_connected' : 'not_trusted', error)),
      )
    })
  })
}

function startTls(socket: Socket, host: string, secureContext: SecureContext): Socket {
  return connectTls({
    socket,
    secureContext,
    // The protocol has no place for an address here. The certificate is then compared with the address itself.
    servername: isIP(host) > 0 ? '' : host,
    host,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
}

/** The line went dead during the handshake. Every other error is about what the receiver showed of itself. */
function isLost({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT'
}
