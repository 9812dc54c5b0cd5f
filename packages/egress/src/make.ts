// Creates the egress from the settings. Tests can replace every part. Nothing is read from the environment, so no proxy
// variable can redirect messages.
import { createSecureContext } from 'node:tls'
import { requireEgressAllow } from './allow.ts'
import type { Clock } from './clock.ts'
import { openConnection } from './connect.ts'
import { type Egress, type EgressReason, REASONS } from './egress.ts'
import { EgressError } from './egress-error.ts'
import { normalizeHost } from './egress-url.ts'
import { fetchUrl } from './fetch.ts'
import { type EgressConfig, post } from './post.ts'
import { resolveOperatorAddresses } from './reach.ts'
import { resolveTxt } from './resolve.ts'

export const EGRESS_LIMITS = { resolve_ms: 5_000, connect_ms: 10_000, total_ms: 30_000 }

export interface EgressParts {
  /** Private hosts and ranges that `post` may still reach, in the format of `parseEgressAllow`. */
  allow: readonly string[]
  dns_server: string | undefined
  /** Host names and addresses from the settings. */
  operator_hosts: readonly string[]
  user_agent: string
  clock: Clock
  /** A PEM that replaces the certificate authorities that Node trusts. */
  trusted_ca?: string | undefined
  limits?: Partial<typeof EGRESS_LIMITS>
  /**
   * Called when a name resolved to a private address in this range: for the log, which never contains the
   * path of a URL.
   */
  onRefused?: (host: string, range: string) => void
  /** Called for a bug in this package; `post` still returns a result. */
  onFault?: (error: unknown) => void
}

export function makeEgress(parts: EgressParts): Egress {
  const config = buildConfig(parts)
  return {
    post: async (address, message) => {
      try {
        return await post(address, message, config)
      } catch (error) {
        return { reached: false, reason: toReason(error, parts.onFault) }
      }
    },
    fetch: (input, init) => fetchUrl(config, input, init),
    readTxt: name => resolveTxt(name, config),
    connect: async (host, port, { tls } = { tls: false }) => {
      const known = normalizeHost(host)
      if (!config.operator_hosts.has(known)) throw new EgressError('bad_address')
      const destination = {
        host: known,
        port,
        addresses: await resolveOperatorAddresses(known, config),
        secure: tls ? config.secure : undefined,
        protocols: [],
      }
      const signal = new AbortController().signal
      return openConnection(destination, {
        limit_ms: config.connect_ms,
        monotonic_ms: config.clock.monotonic_ms,
        signal,
      })
    },
  }
}

function buildConfig({ clock, dns_server, user_agent, trusted_ca, ...parts }: EgressParts): EgressConfig {
  const { resolve_ms, connect_ms, total_ms } = { ...EGRESS_LIMITS, ...parts.limits }
  return {
    allow: requireEgressAllow(parts.allow),
    operator_hosts: new Set(parts.operator_hosts.map(normalizeHost)),
    onRefused: parts.onRefused ?? (() => undefined),
    dns_server,
    limit_ms: resolve_ms,
    clock,
    // Created once: loading the authorities for every message would cost more than sending it.
    secure: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(trusted_ca === undefined ? {} : { ca: trusted_ca }),
    }),
    user_agent,
    connect_ms,
    total_ms,
  }
}

function toReason(error: unknown, onFault: EgressParts['onFault']): EgressReason {
  if (error instanceof EgressError && error.reason in REASONS) return error.reason
  onFault?.(error)
  return 'broken'
}
