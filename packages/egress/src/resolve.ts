// Resolves names to addresses with c-ares, without a cache, using the system's DNS servers or the one in the settings.
// The system's own lookup would block one of the process's four threads while a slow server responds.
import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseIpRange } from './ip-range.ts'

const MAX_ADDRESSES = 32
const MAX_TRIES = 2

export interface ResolveParts {
  dns_server: string | undefined
  limit_ms: number
}

/** All addresses of a public name, IPv4 first; empty if there are none or too many, or on a timeout. */
export async function resolveName(name: string, { dns_server, limit_ms }: ResolveParts): Promise<string[]> {
  const resolver = new Resolver({ timeout: Math.ceil(limit_ms / (MAX_TRIES + 1)), tries: MAX_TRIES })
  if (dns_server !== undefined) resolver.setServers([dns_server])
  const timer = setTimeout(() => resolver.cancel(), limit_ms)
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    return found.length > MAX_ADDRESSES ? [] : [...new Set(found)]
  } finally {
    clearTimeout(timer)
  }
}

const MAX_TXT_RECORDS = 100
/** Responses that mean "no such record"; all other errors mean that no server responded. */
const NOT_FOUND = new Set(['ENOTFOUND', 'ENODATA'])

/** The texts of all TXT records of a name; undefined if no name server responds in time. */
export async function resolveTxt(
  name: string,
  { dns_server, limit_ms }: ResolveParts,
): Promise<string[] | undefined> {
  const resolver = new Resolver({ timeout: Math.ceil(limit_ms / (MAX_TRIES + 1)), tries: MAX_TRIES })
  if (dns_server !== undefined) resolver.setServers([dns_server])
  const timer = setTimeout(() => resolver.cancel(), limit_ms)
  try {
    const records = await resolver.resolveTxt(name)
    return records.slice(0, MAX_TXT_RECORDS).map(parts => parts.join(''))
  } catch (error) {
    return NOT_FOUND.has((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined
  } finally {
    clearTimeout(timer)
  }
}

/** Like `resolveName`, for a name from the settings, which may be in the hosts file or need a search domain. */
export async function resolveOperatorName(name: string, parts: ResolveParts): Promise<string[]> {
  const isThisHost = name === 'localhost' || name.endsWith('.localhost')
  const found = isThisHost ? [] : await resolveName(name, parts)
  if (found.length > 0) return found
  try {
    // The system lookup has no timeout of its own.
    const timeout = sleep(parts.limit_ms, [], { ref: false })
    const known = await Promise.race([lookup(name, { all: true }), timeout])
    return known.slice(0, MAX_ADDRESSES).map(({ address }) => address)
  } catch {
    // The system does not know the name either.
    return []
  }
}

/** `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`. */
export function isDnsServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const ip = bracketed ?? plain ?? text
  const number = Number(port ?? 53)
  return !ip.includes('/') && parseIpRange(ip) !== undefined && number > 0 && number < 65_536
}
