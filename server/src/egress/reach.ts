// Where a host is: its addresses, each of them judged. What comes out of here is connected to as it stands; nobody
// resolves a second time.
import { isIP } from 'node:net'
import { allowsAddress, allowsName, type EgressAllow } from './allow.ts'
import { classifyAddress } from './classify-address.ts'
import { EgressError } from './egress-error.ts'
import { type ResolveParts, resolveName, resolveOperatorName } from './resolve.ts'

export interface ReachParts extends ResolveParts {
  allow: EgressAllow
  /** Names and addresses that the settings name, as `hostOf` writes them. */
  operator_hosts: ReadonlySet<string>
  /** A name that leads inside, and into which range: for the log. */
  onRefused(host: string, range: string): void
}

/** For where a user said. One bad address among good ones is a trick, so it spoils them all. */
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

/** For where the settings say: wherever that is. */
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
