// Resolves a host name and checks each of its addresses. The connection uses exactly these addresses; the name is not
// resolved a second time.
import { isIP } from 'node:net'
import { allowsAddress, allowsName, type EgressAllow } from './allow.ts'
import { classifyAddress } from './classify-address.ts'
import { EgressError } from './egress-error.ts'
import { type ResolveParts, resolveName, resolveOperatorName } from './resolve.ts'

export interface ReachParts extends ResolveParts {
  allow: EgressAllow
  /** Names and addresses from the settings, in the format of `normalizeHost`. */
  operator_hosts: ReadonlySet<string>
  /** Called for a name that resolves to a private address, with its range, for the log. */
  onRefused(host: string, range: string): void
}

/** For hosts that a user typed. One private address among public ones is an attack, so it rejects them all. */
export async function resolvePublicAddresses(host: string, parts: ReachParts): Promise<string[]> {
  const isAllowed = allowsName(parts.allow, host)
  const addresses = await resolveAddresses(host, isAllowed ? resolveOperatorName : resolveName, parts)
  for (const ip of isAllowed ? [] : addresses) {
    const verdict = classifyAddress(ip)
    if (verdict.is_public || allowsAddress(parts.allow, ip)) continue
    parts.onRefused(host, verdict.range)
    throw new EgressError('inner_address')
  }
  return addresses
}

/** For hosts from the settings, which may have any address. */
export async function resolveOperatorAddresses(host: string, parts: ReachParts): Promise<string[]> {
  return resolveAddresses(host, resolveOperatorName, parts)
}

async function resolveAddresses(
  host: string,
  resolve: typeof resolveName,
  parts: ReachParts,
): Promise<string[]> {
  const addresses = isIP(host) > 0 ? [host] : await resolve(host, parts)
  if (addresses.length === 0) throw new EgressError('unknown_name')
  return addresses
}
