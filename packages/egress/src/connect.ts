// Opens a connection to one of the checked addresses. Returns it only after verifying that the peer has that address
// and, with TLS, that its certificate is valid for the name. Nothing of a message is sent before that.
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { EgressError } from './egress-error.ts'
import { isSameAddress } from './ip-range.ts'

/** Each address gets at least this share of the time limit, however many there are. */
const MIN_SHARE = 0.2

export interface Destination {
  /** The name that the certificate must be valid for; an address if the URL has one. */
  host: string
  port: number
  addresses: readonly string[]
  /** Undefined for a connection without TLS. */
  secure: SecureContext | undefined
  /** The protocol over TLS; HTTP if omitted. */
  protocols?: readonly string[]
}

export interface ConnectOptions {
  limit_ms: number
  monotonic_ms(): number
  signal: AbortSignal
}

/** Tries one address after the other, so that one dead address is not fatal. Rejects with `EgressError`. */
export async function openConnection(to: Destination, options: ConnectOptions): Promise<Socket> {
  const until_ms = options.monotonic_ms() + options.limit_ms
  let failure = new EgressError('slow_connect')
  for (const [at, address] of to.addresses.entries()) {
    const left_ms = until_ms - options.monotonic_ms()
    if (left_ms <= 0) throw new EgressError('slow_connect')
    const share_ms = Math.max(left_ms / (to.addresses.length - at), options.limit_ms * MIN_SHARE)
    try {
      return await attempt(to, address, Math.min(left_ms, share_ms), options.signal)
    } catch (error) {
      if (!(error instanceof EgressError) || error.reason === 'not_trusted') throw error
      failure = error
    }
  }
  throw failure
}

function attempt(to: Destination, address: string, limit_ms: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const plain = connect({ host: address, port: to.port, autoSelectFamily: false, noDelay: true })
    const settle = (outcome: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      outcome()
    }
    const fail = (reason: unknown) => {
      plain.destroy()
      settle(() => reject(reason))
    }
    const onAbort = () => fail(signal.reason)
    const timer = setTimeout(() => fail(new EgressError('slow_connect')), limit_ms)
    signal.addEventListener('abort', onAbort)
    // These listeners stay: the writer reports later errors, but an error without a listener would end the process.
    plain.on('error', error => fail(new EgressError('not_connected', error)))
    plain.on('close', () => fail(new EgressError('not_connected')))
    plain.once('connect', () => {
      if (!isSameAddress(plain.remoteAddress ?? '', address)) return fail(new EgressError('inner_address'))
      if (!to.secure) return settle(() => resolve(plain))
      const secured = startTls(plain, to, to.secure)
      secured.once('secureConnect', () => settle(() => resolve(secured)))
      secured.on('error', error =>
        fail(new EgressError(isLost(error) ? 'not_connected' : 'not_trusted', error)),
      )
    })
  })
}

function startTls(
  socket: Socket,
  { host, protocols = ['http/1.1'] }: Destination,
  secureContext: SecureContext,
): Socket {
  return connectTls({
    socket,
    secureContext,
    // SNI does not allow addresses. The certificate is then compared with the address itself.
    servername: isIP(host) > 0 ? '' : host,
    host,
    rejectUnauthorized: true,
    ALPNProtocols: [...protocols],
  })
}

/** The connection was lost during the handshake. Every other error is about the receiver's certificate or protocol. */
function isLost({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT'
}
