// The interface for all outgoing connections of the service. `post` goes to URLs that users type, which must be public
// HTTPS; `fetch` and `connect` go to hosts from the operator's settings.
import type { Socket } from 'node:net'

/** All reasons for a failed delivery. They never contain parts of the URL or the response. */
export const REASONS = {
  bad_address: 'The address is not one that messages may be sent to',
  unknown_name: 'The host name could not be resolved',
  inner_address: 'The host name leads to an address that messages may not be sent to',
  not_connected: 'The receiver could not be reached',
  slow_connect: 'The receiver could not be reached within 10 seconds',
  not_trusted: 'The certificate of the receiver is not trusted',
  broken: 'The connection was lost before the receiver responded',
  slow_answer: 'The receiver did not respond within 30 seconds',
  redirected: 'The receiver responded with a redirect, and redirects are not followed',
} as const

export type EgressReason = keyof typeof REASONS

export type Posted =
  | {
      reached: true
      status: number
      /** From the `Retry-After` header, in seconds from now. */
      retry_after_s: number | null
      /** The first bytes of the response, as text without control characters. */
      start: string
    }
  | { reached: false; reason: EgressReason }

export interface Egress {
  /** Never throws. A redirect counts as not reached, with the reason `redirected`. */
  post(address: string, message: { headers: Record<string, string>; body: string }): Promise<Posted>
  /**
   * For hosts from the operator's settings, which may be private and without TLS. All other hosts must be public or
   * on the allow-list.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** The texts of all TXT records of a name; undefined if no name server responds. */
  readTxt(name: string): Promise<string[] | undefined>
  /** A TCP connection to a host from the settings, for mail; with TLS, for syslog. */
  connect(host: string, port: number, options?: { tls: boolean }): Promise<Socket>
}
