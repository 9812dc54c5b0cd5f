// Puts the way out together from the settings. Everything that may differ in a test is a part; nothing is read from the
// environment, so no proxy variable can lead messages elsewhere.
import { createSecureContext } from 'node:tls'
import type { Clock } from '../lib/clock.ts'
import { allowOf } from './allow.ts'
import { openConnection } from './connect.ts'
import { type Egress, type EgressReason, REASONS } from './egress.ts'
import { fetchFrom } from './fetch.ts'
import { asHost } from './judge-url.ts'
import { Missed } from './missed.ts'
import { post, type WayOut } from './post.ts'
import { operatorAddresses } from './reach.ts'
import { resolveTxt } from './resolve.ts'

export const EGRESS_LIMITS = { resolve_ms: 5_000, connect_ms: 10_000, total_ms: 30_000 }

export interface EgressParts {
  /** Entries of WAYBILL_EGRESS_ALLOW. */
  allow: readonly string[]
  dns_server: string | undefined
  /** Host names and addresses that the settings name. */
  operator_hosts: readonly string[]
  user_agent: string
  clock: Clock
  /** Instead of the authorities that Node trusts, as a PEM. */
  trusted_ca?: string | undefined
  limits?: Partial<typeof EGRESS_LIMITS>
  /** A name led inside, and into which range: for the log. The path of an address is never told. */
  onRefused?: (host: string, range: string) => void
  /** A fault of ours, not of a receiver: `post` answers all the same. */
  onFault?: (error: unknown) => void
}

export function makeEgress(parts: EgressParts): Egress {
  const way = wayOf(parts)
  return {
    post: async (address, message) => {
      try {
        return await post(address, message, way)
      } catch (error) {
        return { reached: false, reason: reasonOf(error, parts.onFault) }
      }
    },
    fetch: (input, init) => fetchFrom(way, input, init),
    readTxt: name => resolveTxt(name, way),
    connect: async (host, port) => {
      const known = asHost(host)
      if (!way.operator_hosts.has(known)) throw new Missed('bad_address')
      const destination = {
        host: known,
        port,
        addresses: await operatorAddresses(known, way),
        secure: undefined,
      }
      const signal = new AbortController().signal
      return openConnection(destination, {
        limit_ms: way.connect_ms,
        monotonic_ms: way.clock.monotonic_ms,
        signal,
      })
    },
  }
}

function wayOf({ clock, dns_server, user_agent, trusted_ca, ...parts }: EgressParts): WayOut {
  const { resolve_ms, connect_ms, total_ms } = { ...EGRESS_LIMITS, ...parts.limits }
  return {
    allow: allowOf(parts.allow),
    operator_hosts: new Set(parts.operator_hosts.map(asHost)),
    onRefused: parts.onRefused ?? (() => undefined),
    dns_server,
    limit_ms: resolve_ms,
    clock,
    // Made once: reading the authorities for every message would cost more than sending it.
    secure: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(trusted_ca === undefined ? {} : { ca: trusted_ca }),
    }),
    user_agent,
    connect_ms,
    total_ms,
  }
}

function reasonOf(error: unknown, onFault: EgressParts['onFault']): EgressReason {
  if (error instanceof Missed && error.reason in REASONS) return error.reason
  onFault?.(error)
  return 'broken'
}
