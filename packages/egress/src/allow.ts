// The operator's allow-list of private destinations for messages: host names and IP ranges.
import { type IpRange, isWithin, parseIp, parseIpRange } from './ip-range.ts'

const NAME =
  /^(\*\.)?(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/

export interface EgressAllow {
  readonly ranges: readonly IpRange[]
  readonly names: ReadonlySet<string>
  /** With a leading dot. */
  readonly suffixes: readonly string[]
}

/** Returns undefined if an entry is invalid. */
export function parseEgressAllow(entries: readonly string[]): EgressAllow | undefined {
  const [ranges, names, suffixes]: [IpRange[], Set<string>, string[]] = [[], new Set(), []]
  for (const entry of entries) {
    const range = parseIpRange(entry.replace(/^\[(.*)\]$/, '$1'))
    const name = entry.toLowerCase().replace(/\.$/, '')
    if (range) ranges.push(range)
    else if (!NAME.test(name) || looksLikeAddress(name)) return undefined
    else if (name.startsWith('*.')) suffixes.push(name.slice(1))
    else names.add(name)
  }
  return { ranges, names, suffixes }
}

/** For entries that the caller has validated. */
export function requireEgressAllow(entries: readonly string[]): EgressAllow {
  const allow = parseEgressAllow(entries)
  if (!allow) throw new Error(`The allow-list has an invalid entry: ${entries.join(', ')}`)
  return allow
}

export function allowsName(allow: EgressAllow, name: string): boolean {
  return allow.names.has(name) || allow.suffixes.some(suffix => name.endsWith(suffix))
}

export function allowsAddress(allow: EgressAllow, ip: string): boolean {
  const bytes = parseIp(ip)
  return bytes !== undefined && allow.ranges.some(range => isWithin(bytes, range))
}

/** `10.0.0` or `0x7f.1`: meant as an address, but a URL parser could read it as a different one. */
function looksLikeAddress(name: string): boolean {
  return /^(0x[0-9a-f]*|\d+)$/.test(name.split('.').at(-1) ?? '')
}
