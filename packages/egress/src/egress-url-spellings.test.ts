import { describe, expect, it } from 'vitest'
import { requireEgressAllow } from './allow.ts'
import { findUrlFault, parseEgressUrl } from './egress-url.ts'

const NONE = requireEgressAllow([])

/** Private addresses, in all notations that some program accepts. */
const INNER = [
  '127.0.0.1',
  '10.0.0.1',
  '169.254.169.254',
  '192.168.0.1',
  '172.16.0.1',
  '0.0.0.0',
  '100.100.100.200',
]

function listSpellings(ip: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
  const all = ((a * 256 + b) * 256 + c) * 256 + d
  const toOctal = (n: number) => `0${n.toString(8)}`
  const toHex = (n: number) => `0x${n.toString(16)}`
  const toFullWidth = (text: string) =>
    text.replaceAll(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit)))
  return [
    ip,
    `${ip}.`,
    String(all),
    toHex(all),
    toHex(all).toUpperCase(),
    `0x${all.toString(16).padStart(8, '0')}`,
    `0x0000${all.toString(16).padStart(8, '0')}`,
    toOctal(all),
    `0000${all.toString(8)}`,
    [a, b, c, d].map(toOctal).join('.'),
    [a, b, c, d].map(n => n.toString(8).padStart(4, '0')).join('.'),
    [a, b, c, d].map(n => `0000000${n.toString(8)}`).join('.'),
    [a, b, c, d].map(toHex).join('.'),
    `${toHex(a)}.${b}.${toOctal(c)}.${d}`,
    `${a}.${toHex(b)}.${c}.${toOctal(d)}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${toHex(a)}.${toHex((b * 256 + c) * 256 + d)}`,
    `${toOctal(a)}.${b}.${toHex(c * 256 + d)}`,
    toFullWidth(ip),
    toFullWidth(String(all)),
    ip.replaceAll('.', '。'),
    ip.replaceAll('.', '．'),
    ip.replaceAll('.', '｡'),
    toFullWidth(ip).replaceAll('.', '。'),
    `[::ffff:${ip}]`,
    `[::ffff:${toGroups(ip)}]`,
    `[0:0:0:0:0:FFFF:${toGroups(ip)}]`,
    `[::${ip}]`,
    `[::${toGroups(ip)}]`,
    `[::ffff:0:${ip}]`,
    `[64:ff9b::${ip}]`,
    `[64:ff9b::${toGroups(ip)}]`,
    `[64:ff9b:1::${ip}]`,
    `[2002:${toGroups(ip)}::]`,
    `[2002:${toGroups(ip)}::1]`,
    `[2001:0:${toGroups(ip)}::1]`,
    `[2001:0:4136:e378:8000:63bf:${invertAddress(ip)}]`,
    `[2606:4700::5efe:${ip}]`,
    `[2606:4700::200:5efe:${toGroups(ip)}]`,
    `[fe80::5efe:${ip}]`,
  ]
}

function toGroups(ip: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

const invertAddress = (ip: string) =>
  toGroups(
    ip
      .split('.')
      .map(byte => 255 - Number(byte))
      .join('.'),
  )

/** Each alone, with a port and with a path: 41 spellings of seven addresses are 287 literals. */
describe('a private address in any notation', () => {
  const spellings = INNER.flatMap(ip => listSpellings(ip))

  it.each([...new Set(spellings)])('%s is rejected', host => {
    expect(findUrlFault(`https://${host}/hook`, NONE)).toBe('inner')
    expect(parseEgressUrl(`https://${host}`, NONE)).toBeUndefined()
    expect(parseEgressUrl(`https://${host}:8443/hook?a=b#c`, NONE)).toBeUndefined()
  })

  it('is tested in more than 270 spellings', () => expect(new Set(spellings).size).toBeGreaterThan(270))

  it.each([
    ...[
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[0000:0000:0000:0000:0000:0000:0000:0001]',
      '[::0.0.0.1]',
      '0',
      '00',
    ],
    ...['0x0', '0.0', '127.1', '127.0.1', '0177.1', '0x7f.1', '127.0.0.01', '127.000.000.001', '2130706433.'],
    ...['[fd00:ec2::254]', '[fd20:ce::254]', '[fe80::1]', '[fec0::1]', '[ff02::1]', '[fc00::1]', '[100::1]'],
    ...[
      '[2001:db8::1]',
      '[3fff::1]',
      '[5f00::1]',
      '[2001:10::1]',
      '[2001:20::1]',
      '[2001:2::1]',
      '168.63.129.16',
    ],
    ...['192.0.0.192', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.1', '203.0.113.9'],
  ])('%s is rejected', host => expect(findUrlFault(`https://${host}/`, NONE)).toBe('inner'))
})

/** Some programs read such an address as 10.0.0.1 and others as 8.0.0.1. */
describe('a public address that is not written as four plain numbers', () => {
  it.each([
    ...[
      '010.000.000.001',
      '010.0.0.1',
      '8.8.8.010',
      '08.8.8.8',
      '0x8.8.8.8',
      '0X08.8.8.8',
      '8.8.2056',
      '8.526344',
    ],
    ...[
      '134744072',
      '0x08080808',
      '01002004010',
      '8.8.8.8.',
      '８.8.8.8',
      '8。8。8。8',
      '8.8.8.08',
      '00008.8.8.8',
    ],
  ])('%s is rejected', host => {
    expect(findUrlFault(`https://${host}/hook`, NONE)).toBe('host')
    expect(parseEgressUrl(`https://${host}:8443`, NONE)).toBeUndefined()
    expect(parseEgressUrl(`https://${host}`, requireEgressAllow(['0.0.0.0/0']))).toBeUndefined()
  })

  it.each(['8.8.8.8', '8.0.0.1', '1.1.1.1:8443'])('%s is accepted', host => {
    expect(parseEgressUrl(`https://${host}/hook`, NONE)).toBeDefined()
  })
})
