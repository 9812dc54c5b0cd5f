// IP addresses as bytes, and CIDR ranges. Accepts only the standard notation: no octal numbers, short forms or zones.
import { isIP } from 'node:net'

export interface IpRange {
  bytes: readonly number[]
  prefix_bits: number
}

/** Returns 4 or 16 bytes, or undefined if the text is not an address. */
export function parseIp(ip: string): number[] | undefined {
  if (isIP(ip) === 0 || ip.includes('%')) return undefined
  return isIP(ip) === 4 ? ip.split('.').map(Number) : parseIpv6(ip)
}

/**
 * Written by hand, because it is short for input that is known to be valid, and because the most widely used library
 * reads `::127.0.0.1` as `::ffff:127.0.0.1`.
 */
function parseIpv6(ip: string): number[] {
  const dotted = /[^:]+\.[^:]+$/.exec(ip)?.[0]
  const last = dotted?.split('.').map(Number) ?? []
  const [head, tail] = (dotted === undefined ? ip : ip.slice(0, -dotted.length))
    .split('::')
    .map(half => half.split(':').flatMap(group => (group === '' ? [] : parseGroup(group))))
  const [before, after] = [head ?? [], [...(tail ?? []), ...last]]
  return [...before, ...Array<number>(16 - before.length - after.length).fill(0), ...after]
}

function parseGroup(group: string): [number, number] {
  const number = Number.parseInt(group, 16)
  return [number >> 8, number & 0xff]
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. */
export function parseIpRange(text: string): IpRange | undefined {
  const [ip = '', prefix, ...more] = text.split('/')
  const bytes = parseIp(ip)
  if (!bytes || more.length > 0) return undefined
  if (prefix === undefined) return { bytes, prefix_bits: bytes.length * 8 }
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > bytes.length * 8) return undefined
  return { bytes, prefix_bits: Number(prefix) }
}

export function isWithin(ip: readonly number[], { bytes, prefix_bits }: IpRange): boolean {
  if (ip.length !== bytes.length) return false
  return bytes.every((byte, at) => {
    const bits = Math.min(8, Math.max(0, prefix_bits - at * 8))
    const mask = (0xff << (8 - bits)) & 0xff
    return (byte & mask) === ((ip[at] ?? 0) & mask)
  })
}

/** Compares addresses regardless of their notation. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [parseIp(unmapIpv4(one)), parseIp(unmapIpv4(other))]
  return first !== undefined && second !== undefined && Buffer.from(first).equals(Buffer.from(second))
}

/**
 * Identifies one caller: an IPv4 address, or the /64 of an IPv6 customer. Other text is returned unchanged.
 */
export function toNetwork(ip: string): string {
  const [plain = ''] = unmapIpv4(ip).split('%')
  const bytes = parseIp(plain)
  if (bytes?.length !== 16) return plain
  const groups = [0, 2, 4, 6].map(at => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16))
  return `${groups.join(':')}::/64`
}

/** A socket may report an IPv4 peer as `::ffff:192.0.2.1`. */
export function unmapIpv4(ip: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip
}
