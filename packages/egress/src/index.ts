// The public interface of the package.
export { type EgressAllow, parseEgressAllow, requireEgressAllow } from './allow.ts'
export { type Egress, type EgressReason, type Posted, REASONS } from './egress.ts'
export { EgressError } from './egress-error.ts'
export { getHost, parseEgressUrl } from './egress-url.ts'
export { type IpRange, isWithin, parseIp, parseIpRange, toNetwork, unmapIpv4 } from './ip-range.ts'
export { EGRESS_LIMITS, type EgressParts, makeEgress } from './make.ts'
export { isDnsServer } from './resolve.ts'
