import { describe, expect, it } from 'vitest'
import { classifyAddress } from './classify-address.ts'

/** The range, its name, and its first, some middle and its last addresses. */
const REJECTED: readonly (readonly [range: string, name: string, ...addresses: string[]])[] = [
  ['0.0.0.0/8', 'this network', '0.0.0.0', '0.0.0.1', '0.127.3.4', '0.255.255.255'],
  ['10.0.0.0/8', 'private', '10.0.0.0', '10.0.0.1', '10.96.0.1', '10.128.7.9', '10.255.255.255'],
  ['100.64.0.0/10', 'carrier-grade NAT', '100.64.0.0', '100.96.1.2', '100.100.100.200', '100.127.255.255'],
  ['127.0.0.0/8', 'loopback', '127.0.0.0', '127.0.0.1', '127.0.1.1', '127.127.127.127', '127.255.255.255'],
  ['169.254.0.0/16', 'link-local', '169.254.0.0', '169.254.0.23', '169.254.42.42', '169.254.169.253'],
  ['169.254.0.0/16', 'link-local', '169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.255.255'],
  ['172.16.0.0/12', 'private', '172.16.0.0', '172.17.0.1', '172.24.8.8', '172.31.0.2', '172.31.255.255'],
  ['192.0.0.0/24', 'protocol assignments', '192.0.0.0', '192.0.0.8', '192.0.0.9', '192.0.0.10'],
  ['192.0.0.0/24', 'protocol assignments', '192.0.0.170', '192.0.0.171', '192.0.0.192', '192.0.0.255'],
  ['192.0.2.0/24', 'documentation', '192.0.2.0', '192.0.2.128', '192.0.2.255'],
  ['192.31.196.0/24', 'AS112', '192.31.196.0', '192.31.196.1', '192.31.196.255'],
  ['192.52.193.0/24', 'multicast tunnels', '192.52.193.0', '192.52.193.1', '192.52.193.255'],
  ['192.88.99.0/24', '6to4 relays', '192.88.99.0', '192.88.99.1', '192.88.99.2', '192.88.99.255'],
  ['192.168.0.0/16', 'private', '192.168.0.0', '192.168.1.1', '192.168.100.7', '192.168.255.255'],
  ['192.175.48.0/24', 'AS112', '192.175.48.0', '192.175.48.42', '192.175.48.255'],
  ['198.18.0.0/15', 'benchmarking', '198.18.0.0', '198.18.255.255', '198.19.0.0', '198.19.255.255'],
  ['198.51.100.0/24', 'documentation', '198.51.100.0', '198.51.100.99', '198.51.100.255'],
  ['203.0.113.0/24', 'documentation', '203.0.113.0', '203.0.113.77', '203.0.113.255'],
  ['224.0.0.0/4', 'multicast', '224.0.0.0', '224.0.0.251', '233.252.0.1', '239.255.255.250'],
  ['224.0.0.0/4', 'multicast', '232.1.2.3', '239.255.255.255'],
  ['240.0.0.0/4', 'reserved', '240.0.0.0', '247.8.8.8', '255.0.0.1', '255.255.255.254'],
  ['255.255.255.255/32', 'broadcast', '255.255.255.255'],
  ['168.63.129.16/32', 'metadata', '168.63.129.16'],

  ['::/128', 'unspecified', '::', '0:0:0:0:0:0:0:0', '0::0'],
  ['::1/128', 'loopback', '::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001'],
  ['::ffff:0:0/96', 'IPv4-mapped', '::ffff:0.0.0.0', '::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:7F00:0001'],
  ['::ffff:0:0/96', 'IPv4-mapped', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe'],
  ['::ffff:0:0/96', 'IPv4-mapped', '0:0:0:0:0:ffff:c0a8:0101', '::ffff:8.8.8.8', '::ffff:255.255.255.255'],
  ['::/96', 'IPv4-compatible', '::127.0.0.1', '::7f00:1', '::10.0.0.1', '::a9fe:a9fe', '::8.8.8.8', '::2'],
  ['::/96', 'IPv4-compatible', '::255.255.255.255', '0:0:0:0:0:0:c0a8:1'],
  ['::ffff:0:0:0/96', 'IPv4-translated', '::ffff:0:127.0.0.1', '::ffff:0:7f00:1', '::ffff:0:0:0'],
  ['::ffff:0:0:0/96', 'IPv4-translated', '::ffff:0:a9fe:a9fe', '::ffff:0:ffff:ffff', '::ffff:0:8.8.8.8'],
  ['64:ff9b::/96', 'NAT64', '64:ff9b::', '64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::10.1.2.3'],
  ['64:ff9b::/96', 'NAT64', '64:ff9b::a9fe:a9fe', '64:ff9b::8.8.8.8', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::/48', 'local NAT64', '64:ff9b:1::', '64:ff9b:1::7f00:1', '64:ff9b:1:fffe::10.0.0.1'],
  ['64:ff9b:1::/48', 'local NAT64', '64:ff9b:1:7f00:0:100::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64', 'discard', '100::', '100::1', '100::8:0:0:0', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64', 'dummy prefix', '100:0:0:1::', '100:0:0:1::7', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['2001::/32', 'Teredo', '2001::', '2001::1', '2001:0:4136:e378:8000:63bf:80ff:fffe', '2001:0:7f00:1::'],
  ['2001::/32', 'Teredo', '2001:0:0a00:0001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::/23', 'protocol assignments', '2001:1::', '2001:1::1', '2001:1::2', '2001:1::3', '2001:1ff::1'],
  ['2001::/23', 'protocol assignments', '2001:5::1', '2001:100::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:2::/48', 'benchmarking', '2001:2::', '2001:2::1', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['2001:3::/32', 'multicast tunnels', '2001:3::', '2001:3:8000::1', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:4:112::/48', 'AS112', '2001:4:112::', '2001:4:112::1', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
  ['2001:10::/28', 'ORCHID', '2001:10::', '2001:18::1', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:20::/28', 'ORCHIDv2', '2001:20::', '2001:28::1', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:30::/28', 'drone identifiers', '2001:30::', '2001:38::1', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/32', 'documentation', '2001:db8::', '2001:db8::1', '2001:DB8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::/16', '6to4', '2002::', '2002:7f00:1::', '2002:7f00:0001::1', '2002:a00:1::', '2002:a9fe:a9fe::1'],
  ['2002::/16', '6to4', '2002:c0a8:101::', '2002:808:808::1', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  [
    '2620:4f:8000::/48',
    'AS112',
    '2620:4f:8000::',
    '2620:4f:8000::42',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
  ],
  ['3ffe::/16', 'former test network', '3ffe::', '3ffe:b00::1', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::/20', 'documentation', '3fff::', '3fff:800::1', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::/16', 'segment routing', '5f00::', '5f00:8000::1', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  [
    'fc00::/7',
    'unique local',
    'fc00::',
    'fc00::1',
    'fd12:3456:789a:1::1',
    'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ],
  [
    'fd00:ec2::/32',
    'unique local (cloud metadata)',
    'fd00:ec2::',
    'fd00:ec2::254',
    'FD00:0EC2:0:0:0:0:0:254',
  ],
  ['fd20:ce::/32', 'unique local (cloud metadata)', 'fd20:ce::254'],
  [
    'fe80::/10',
    'link-local',
    'fe80::',
    'fe80::1',
    'fe80::a9fe:a9fe',
    'fe90::1',
    'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ],
  ['fec0::/10', 'site-local', 'fec0::', 'fec0::1', 'fed0::1', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8', 'multicast', 'ff00::', 'ff02::1', 'ff0e::fb', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],

  ['outside 2000::/3', 'not global unicast', '0:1::1', '100:0:0:2::1', '200::1', '400::', '64:ff9c::1'],
  ['outside 2000::/3', 'not global unicast', '64:ff9b:0:1::1', '64:ff9b:2::1', '1fff:ffff::1', '4000::'],
  [
    'outside 2000::/3',
    'not global unicast',
    '4000::1',
    '5eff::1',
    '5f01::1',
    '8000::1',
    'a000::1',
    'c000::1',
  ],
  ['outside 2000::/3', 'not global unicast', 'e000::1', 'f000::1', 'fbff::1', 'fe00::1', 'fe7f:ffff::1'],
  ['outside 2000::/3', 'not global unicast', '::1:0:0:0', '0:0:0:0:1::', '::fffe:7f00:1', '::1:ffff:7f00:1'],

  ['an ISATAP identifier', 'ISATAP', '2606:4700::5efe:127.0.0.1', '2606:4700::5efe:7f00:1'],
  ['an ISATAP identifier', 'ISATAP', '2a00:1450:4001:81b:0:5efe:10.0.0.1', '2a00::200:5efe:192.168.0.1'],
  ['an ISATAP identifier', 'ISATAP', '2a00::200:5efe:a9fe:a9fe', '2400::100:5efe:10.0.0.1'],
  ['an ISATAP identifier', 'ISATAP', '2400::300:5efe:10.0.0.1'],
]

/** The addresses next to every range above, and ordinary receivers. */
const PUBLIC = [
  ...[
    '1.0.0.0',
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '11.0.0.1',
    '93.184.215.14',
    '99.255.255.255',
  ],
  ...[
    '100.0.0.1',
    '100.63.255.255',
    '100.128.0.0',
    '100.128.0.1',
    '126.255.255.255',
    '128.0.0.0',
    '140.82.112.3',
  ],
  ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ...['172.32.0.1', '172.64.0.1', '191.255.255.255', '192.0.1.0', '192.0.1.1', '192.0.1.255', '192.0.3.0'],
  ...['192.31.195.255', '192.31.197.0', '192.52.192.255', '192.52.194.0', '192.88.98.255', '192.88.100.0'],
  ...['192.167.255.255', '192.169.0.0', '192.175.47.255', '192.175.49.0', '198.17.255.255', '198.20.0.0'],
  ...['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '213.133.98.98', '223.255.255.255'],
  ...['2000::', '2000::1', '2001:200::', '2001:200::1', '2001:4860:4860::8888', '2001:503:ba3e::2:30'],
  ...['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::', '2003::1', '2001:ffff::1', '2400:cb00::1'],
  ...['2606:4700::1111', '2606:4700:4700::1111', '2607:f8b0::1', '2620:4f:7fff:ffff::1', '2620:4f:8001::'],
  ...[
    '2a00:1450:4001:81b::200e',
    '2a01:4f8::1',
    '2c0f:fb50::1',
    '3ffd:ffff::1',
    '3fff:1000::',
    '3fff:ffff::1',
  ],
  ...['2606:4700::5eff:7f00:1', '2606:4700:0:5efe::1', '2606:4700::1:5efe:7f00:1', '2a00::ffff:7f00:1'],
]

/** None of these is in standard notation, even if a lenient parser accepts it. */
const INVALID_ADDRESSES = [
  ...[
    '',
    ' ',
    'localhost',
    'example.com',
    '8',
    '8.8',
    '8.8.8',
    '8.8.8.8.8',
    '8.8.8.8.',
    '.8.8.8.8',
    '8..8.8',
  ],
  ...['08.8.8.8', '010.0.0.1', '0x8.8.8.8', '0x08080808', '134744072', '8.8.8.256', '8.8.8.-8', '8.8.8.8 '],
  ...[
    ' 8.8.8.8',
    '8.8.8.8\n',
    '8.8.8.8/32',
    '8.8.8.8:443',
    '８.8.8.8',
    '8。8。8。8',
    '8.8.8.8%eth0',
    '[8.8.8.8]',
  ],
  ...[
    '[2606:4700::1111]',
    '2606:4700::1111%eth0',
    'fe80::1%eth0',
    'fe80::1%25eth0',
    '::1%lo',
    '2606:4700::1111/64',
  ],
  ...['2606:4700:::1', '2606:4700::1::1', ':2606:4700::1', '2606:4700', '12606:4700::1', '2606:4700::g'],
  ...[
    '::ffff:127.1',
    '::ffff:0177.0.0.1',
    '::ffff:0x7f.0.0.1',
    '::127.0.0.1.',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7',
  ],
]

describe('an address that is not public', () => {
  it.each(REJECTED)('%s is rejected as %s', (_range, name, ...addresses) => {
    for (const address of addresses) {
      const verdict = classifyAddress(address)
      expect(verdict.is_public, address).toBe(false)
      expect(verdict, address).toMatchObject({ range: expect.stringContaining(name) })
    }
  })

  it.each(INVALID_ADDRESSES)('%j is rejected because it is not an address', text => {
    expect(classifyAddress(text)).toEqual({ is_public: false, range: 'not an address' })
  })

  it('is tested with more than two hundred examples', () => {
    const all = REJECTED.flatMap(([, , ...addresses]) => addresses)
    expect(new Set([...all, ...INVALID_ADDRESSES]).size).toBeGreaterThan(250)
  })
})

describe('an address that is public', () => {
  it.each(PUBLIC)('%s passes', address => expect(classifyAddress(address)).toEqual({ is_public: true }))
})

describe('every IPv4 address in a rejected range', () => {
  const inside = REJECTED.map(([range]) => range).filter(range => /^\d+\./.test(range))

  it.each([...new Set(inside)])('%s, in 64 steps', range => {
    const [first = '', bits = ''] = range.split('/')
    const size = 2 ** (32 - Number(bits))
    const start = toNumber(first)
    for (let step = 0; step <= 64; step++) {
      const address = formatDotted(start + Math.min(size - 1, Math.floor((step * size) / 64)))
      expect(classifyAddress(address).is_public, address).toBe(false)
      const asMapped = classifyAddress(`::ffff:${address}`)
      expect(asMapped, address).toEqual({ is_public: false, range: 'IPv4-mapped' })
    }
  })
})

const toNumber = (ip: string) => ip.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)
const formatDotted = (number: number) => [24, 16, 8, 0].map(shift => (number >>> shift) & 0xff).join('.')
