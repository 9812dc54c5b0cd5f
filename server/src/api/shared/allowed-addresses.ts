// IP allow-lists of API keys and organizations.
import { isWithin, parseIp, parseIpRange } from '@waybill/egress'
import { invalid } from '../../lib/errors.ts'

/** Null when every address is allowed. */
export function checkAddresses(list: readonly string[] | undefined, field: string): string[] | null {
  const wrong = list?.findIndex(entry => parseIpRange(entry) === undefined) ?? -1
  if (wrong >= 0) {
    throw invalid({
      [`${field}.${wrong}`]: `Input should be an IP address or a CIDR range [input: ${list?.[wrong]}]`,
    })
  }
  return list && list.length > 0 ? [...list] : null
}

export function isAllowedAddress(allowed: readonly string[] | null | undefined, address: string): boolean {
  if (!allowed || allowed.length === 0) return true
  const bytes = parseIp(address)
  return bytes !== undefined && allowed.some(entry => isInRange(bytes, entry))
}

/** Whether every requested address is also granted; null means any address. */
export function areWithinAddresses(
  requested: readonly string[] | null,
  granted: readonly string[] | null,
): boolean {
  if (granted === null) return true
  return requested?.every(entry => granted.some(wider => isRangeWithin(entry, wider))) ?? false
}

function isRangeWithin(entry: string, wider: string): boolean {
  const [range, outer] = [parseIpRange(entry), parseIpRange(wider)]
  if (!range || !outer) return false
  return isWithin(range.bytes, outer) && range.prefix_bits >= outer.prefix_bits
}

/** An entry that cannot be parsed matches no address. */
function isInRange(bytes: readonly number[], entry: string): boolean {
  const range = parseIpRange(entry)
  return range !== undefined && isWithin(bytes, range)
}
