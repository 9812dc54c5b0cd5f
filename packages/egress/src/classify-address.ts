// Decides which IP addresses are public. The table is based on IANA's special-purpose registries, and is stricter: it
// also rejects reachable ranges in which no receiver of messages can be.
import { isWithin, parseIp, parseIpRange } from './ip-range.ts'

export type AddressVerdict = { is_public: true } | { is_public: false; range: string }

const IPV4 = parseTable({
  '168.63.129.16/32': 'cloud metadata and control',
  '169.254.0.0/16': 'link-local (cloud metadata)',
  '100.64.0.0/10': 'carrier-grade NAT (cloud metadata)',
  '192.0.0.0/24': 'protocol assignments (cloud metadata)',
  '0.0.0.0/8': 'this network',
  '10.0.0.0/8': 'private',
  '127.0.0.0/8': 'loopback',
  '172.16.0.0/12': 'private',
  '192.0.2.0/24': 'documentation',
  '192.31.196.0/24': 'AS112',
  '192.52.193.0/24': 'multicast tunnels',
  '192.88.99.0/24': '6to4 relays',
  '192.168.0.0/16': 'private',
  '192.175.48.0/24': 'AS112',
  '198.18.0.0/15': 'benchmarking',
  '198.51.100.0/24': 'documentation',
  '203.0.113.0/24': 'documentation',
  '224.0.0.0/4': 'multicast',
  '255.255.255.255/32': 'broadcast',
  '240.0.0.0/4': 'reserved',
})

const IPV6 = parseTable({
  '::/128': 'unspecified',
  '::1/128': 'loopback',
  '::ffff:0:0/96': 'IPv4-mapped',
  '::ffff:0:0:0/96': 'IPv4-translated',
  '::/96': 'IPv4-compatible',
  '64:ff9b::/96': 'NAT64',
  '64:ff9b:1::/48': 'local NAT64',
  '100::/64': 'discard',
  '100:0:0:1::/64': 'dummy prefix',
  '2001::/32': 'Teredo',
  '2001:2::/48': 'benchmarking',
  '2001:3::/32': 'multicast tunnels',
  '2001:4:112::/48': 'AS112',
  '2001:10::/28': 'ORCHID',
  '2001:20::/28': 'ORCHIDv2',
  '2001:30::/28': 'drone identifiers',
  '2001::/23': 'protocol assignments',
  '2001:db8::/32': 'documentation',
  '2002::/16': '6to4',
  '2620:4f:8000::/48': 'AS112',
  '3ffe::/16': 'former test network (6bone)',
  '3fff::/20': 'documentation',
  '5f00::/16': 'segment routing',
  'fd00:ec2::/32': 'unique local (cloud metadata)',
  'fd20:ce::/32': 'unique local (cloud metadata)',
  'fc00::/7': 'unique local',
  'fe80::/10': 'link-local',
  'fec0::/10': 'site-local',
  'ff00::/8': 'multicast',
})

/** Everything that IANA has allocated for hosts. All other addresses are rejected even if no range above has them. */
const GLOBAL_UNICAST = parseTable({ '2000::/3': 'global unicast' })

/** Bytes 8 to 11 of an ISATAP address: routers unpack it to the IPv4 address in its last four bytes. */
const ISATAP_MARKERS = ['00005efe', '02005efe', '01005efe', '03005efe']

/** The range is only for the log: the person who typed the address must not learn about the network. */
export function classifyAddress(ip: string): AddressVerdict {
  const bytes = parseIp(ip)
  if (!bytes) return makeRejection('not an address')
  const special = (bytes.length === 4 ? IPV4 : IPV6).find(({ range }) => isWithin(bytes, range))
  if (special) return makeRejection(special.name)
  if (bytes.length === 4) return { is_public: true }
  if (!GLOBAL_UNICAST.some(({ range }) => isWithin(bytes, range))) return makeRejection('not global unicast')
  // The ranges above cover all formats that embed an IPv4 address behind a fixed prefix; ISATAP allows any prefix.
  if (ISATAP_MARKERS.includes(Buffer.from(bytes.slice(8, 12)).toString('hex'))) return makeRejection('ISATAP')
  return { is_public: true }
}

function makeRejection(range: string): AddressVerdict {
  return { is_public: false, range }
}

function parseTable(names: Record<string, string>) {
  return Object.entries(names).map(([cidr, name]) => {
    const range = parseIpRange(cidr)
    if (!range) throw new Error(`${cidr} is not a range`)
    return { range, name }
  })
}
