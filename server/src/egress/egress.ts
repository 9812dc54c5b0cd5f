// The one way out: every connection that the service opens to somebody else's machine is opened here. Two doors: where a
// user said (`post`: public https addresses and nothing else), and where the operator's settings lead (`fetch`, `connect`).
import type { Socket } from 'node:net'

/** Why something was not delivered: the whole list. Nothing of the address or the answer is ever in it. */
export const REASONS = {
  bad_address: 'The address is not one that messages may be sent to',
  unknown_name: 'The host name could not be resolved',
  inner_address: 'The host name leads to an address that messages may not be sent to',
  not_connected: 'The receiver could not be reached',
  slow_connect: 'The receiver could not be reached within 10 seconds',
  not_trusted: 'The certificate of the receiver was not accepted',
  broken: 'The connection broke before the receiver had answered',
  slow_answer: 'The receiver did not answer within 30 seconds',
  redirected: 'The receiver answered with a redirect, which is never followed',
} as const

export type EgressReason = keyof typeof REASONS

export type Posted =
  | {
      reached: true
      status: number
      /** What `Retry-After` says, in seconds from now. */
      retry_after_s: number | null
      /** The first bytes of the answer, as text without control characters. */
      start: string
    }
  | { reached: false; reason: EgressReason }

export interface Egress {
  /** Never throws. A redirect is an answer that was not reached: `redirected`. */
  post(address: string, message: { headers: Record<string, string>; body: string }): Promise<Posted>
  /**
   * For what the operator's settings name. The hosts of the settings may be private and without TLS; whatever else those
   * lead to must be public or allowed by WAYBILL_EGRESS_ALLOW.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** The texts of all TXT records of a name; undefined when no name server answers. */
  readTxt(name: string): Promise<string[] | undefined>
  /** A plain connection to a host of the settings, for mail. */
  connect(host: string, port: number): Promise<Socket>
}
