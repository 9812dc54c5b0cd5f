// Finds the address of the client. Forwarding headers are read only if a trusted proxy sent them, from the right, up
// to the first address that is not a trusted proxy: everything left of it may be forged.
import { type IpRange, isWithin, parseIp, unmapIpv4 } from '@waybill/egress'

export interface Arrival {
  /** The address that opened the connection. */
  peer: string
  headers: { 'x-forwarded-for'?: string | string[] | undefined; forwarded?: string | undefined }
  trusted_proxies: readonly IpRange[]
}

export function resolveClientAddress({ peer, headers, trusted_proxies }: Arrival): string {
  const address = unmapIpv4(peer)
  const isTrusted = (ip: string) => {
    const bytes = parseIp(ip)
    return bytes !== undefined && trusted_proxies.some(range => isWithin(bytes, range))
  }
  if (!isTrusted(address)) return address
  const lists = [parseForwardedFor(headers['x-forwarded-for']), parseForwarded(headers.forwarded)]
  const claims = lists.flatMap(list => (list ? [walk(address, list, isTrusted)] : []))
  const [claimed = address] = claims
  // A proxy that sets one of the headers may pass on the other as the client sent it.
  return claims.every(claim => claim === claimed) ? claimed : address
}

/** Stops at an unreadable entry: the result is then the address of its sender. */
function walk(
  peer: string,
  hops: readonly (string | undefined)[],
  isTrusted: (ip: string) => boolean,
): string {
  let client = peer
  for (const hop of hops.toReversed()) {
    if (hop === undefined) return client
    client = hop
    if (!isTrusted(hop)) return client
  }
  return client
}

function parseForwardedFor(header: string | string[] | undefined): (string | undefined)[] | undefined {
  return header === undefined ? undefined : [header].flat().join(',').split(',').map(parseHop)
}

/** RFC 7239. An unreadable element is `undefined`, and so is the whole header if its quotes do not match. */
function parseForwarded(header: string | undefined): (string | undefined)[] | undefined {
  if (header === undefined) return undefined
  const elements = header.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g)
  if (!elements || elements.join(',').length !== header.length) return [undefined]
  return elements.map(element => {
    const values = [...element.matchAll(/(?:^|;)\s*for=(?:"([^"]*)"|([^;"\s]*))\s*(?=;|$)/gi)]
    const [only] = values
    return values.length === 1 && only ? parseHop(only[1] ?? only[2] ?? '') : undefined
  })
}

/** `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1` or `[2001:db8::1]:443`. */
function parseHop(text: string): string | undefined {
  const hop = text.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([^:]+):\d+$/.exec(hop)?.[1] ?? hop
  return parseIp(bare) === undefined ? undefined : unmapIpv4(bare)
}
