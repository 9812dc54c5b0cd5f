// From a name to its addresses, by c-ares: asked anew each time, of the system's servers or the one of the settings.
// The system's own lookup would hold one of four threads of the process for as long as a slow server likes.
import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseIpRange } from './ip-range.ts'

const MOST_ADDRESSES = 32
const TRIES = 2

export interface ResolveParts {
  dns_server: string | undefined
  limit_ms: number
}

/** All addresses of a public name, IPv4 first; empty when there are none, too many, or nobody answers in time. */
export async function resolveName(name: string, { dns_server, limit_ms }: ResolveParts): Promise<string[]> {
  const resolver = new Resolver({ timeout: Math.ceil(limit_ms / (TRIES + 1)), tries: TRIES })
  if (dns_server !== undefined) resolver.setServers([dns_server])
  const late = setTimeout(() => resolver.cancel(), limit_ms)
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    return found.length > MOST_ADDRESSES ? [] : [...new Set(found)]
  } finally {
    clearTimeout(late)
  }
}

const MOST_TXT_RECORDS = 100
/** What name servers answer when there is nothing to find: anything else is no answer. */
const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA'])

/** The texts of all TXT records of a name; undefined when no name server answers in time. */
export async function resolveTxt(
  name: string,
  { dns_server, limit_ms }: ResolveParts,
): Promise<string[] | undefined> {
  const resolver = new Resolver({ timeout: Math.ceil(limit_ms / (TRIES + 1)), tries: TRIES })
  if (dns_server !== undefined) resolver.setServers([dns_server])
  const late = setTimeout(() => resolver.cancel(), limit_ms)
  try {
    const records = await resolver.resolveTxt(name)
    return records.slice(0, MOST_TXT_RECORDS).map(parts => parts.join(''))
  } catch (error) {
    return NOT_THERE.has((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined
  } finally {
    clearTimeout(late)
  }
}

/** The same for a name that the operator chose: it may also stand in the hosts file or need a search domain. */
export async function resolveOperatorName(name: string, parts: ResolveParts): Promise<string[]> {
  const isThisHost = name === 'localhost' || name.endsWith('.localhost')
  const found = isThisHost ? [] : await resolveName(name, parts)
  if (found.length > 0) return found
  try {
    // The system takes as long as it likes; nobody waits for it longer than for the others.
    const late = sleep(parts.limit_ms, [], { ref: false })
    const known = await Promise.race([lookup(name, { all: true }), late])
    return known.slice(0, MOST_ADDRESSES).map(({ address }) => address)
  } catch {
    // Not known to the system either.
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
