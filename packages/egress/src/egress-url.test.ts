import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requireEgressAllow } from './allow.ts'
import { findUrlFault, parseEgressUrl, type UrlFault } from './egress-url.ts'

const NONE = requireEgressAllow([])

/** Invalid URLs, and URLs that parsers disagree about. */
const BROKEN: readonly (readonly [UrlFault, ...string[]])[] = [
  [
    'scheme',
    'http://hooks.example/',
    'HTTPS://hooks.example/',
    'Https://hooks.example',
    'hooks.example',
    '',
    ' ',
  ],
  [
    'scheme',
    '//hooks.example/',
    'https:/hooks.example',
    'https:hooks.example',
    'https:\\\\hooks.example',
    'https',
  ],
  ['scheme', 'ftp://hooks.example', 'file:///etc/passwd', 'gopher://hooks.example:70/_', 'data:text/plain,x'],
  [
    'scheme',
    'javascript:alert(1)',
    'ws://hooks.example',
    'wss://hooks.example',
    'dict://hooks.example:11211/',
  ],
  [
    'scheme',
    'ldap://hooks.example',
    'jar:https://hooks.example!/',
    'blob:https://hooks.example/x',
    'httpss://a.b',
  ],
  [
    'scheme',
    ' https://hooks.example',
    '\thttps://hooks.example',
    '\nhttps://hooks.example',
    'https//a.example',
  ],
  [
    'scheme',
    'view-source:https://hooks.example',
    'unix:/var/run/docker.sock',
    'h\nttps://a.example',
    '\0https://a.b',
  ],
  [
    'characters',
    'https://hooks.example /',
    'https://hooks.example/ ',
    'https://hooks.example/a b',
    'https:// a.b',
  ],
  [
    'characters',
    'https://hooks.example\\@127.0.0.1',
    'https://127.0.0.1\\.hooks.example',
    'https://\\127.0.0.1',
  ],
  ['characters', 'https://hooks.exa\tmple/', 'https://hooks.example/\r\nHost: a', 'https://hooks.example/\0'],
  [
    'characters',
    'https://127.0.0.1\n.hooks.example/',
    'https://hooks.example/\u007f',
    'https://a\u0085b.example',
  ],
  ['characters', 'https://hooks.example/\u00a0', 'https://hooks\u200b.example/', 'https://loc\u00adalhost/'],
  [
    'characters',
    'https://hooks.example/\u2028',
    'https://\u3000127.0.0.1/',
    'https://\ufeffa.example',
    'https://\ud800',
  ],
  [
    'userinfo',
    'https://user:password@hooks.example/',
    'https://user@hooks.example',
    'https://@hooks.example/',
  ],
  [
    'userinfo',
    'https://hooks.example@127.0.0.1/',
    'https://hooks.example:443@169.254.169.254/',
    'https://:@a.b/',
  ],
  ['userinfo', 'https://127.0.0.1@hooks.example', 'https://a@b@hooks.example/', 'https://%00@hooks.example'],
  [
    'host',
    'https://',
    'https:///',
    'https:///127.0.0.1/',
    'https:////hooks.example',
    'https://?a',
    'https://#a',
  ],
  [
    'host',
    'https://:443/',
    'https://[::1',
    'https://[::1]a/',
    'https://[fe80::1%25eth0]/',
    'https://[::1%lo]/',
  ],
  [
    'host',
    'https://hooks.example:65536/',
    'https://hooks.example:-1/',
    'https://hooks.example:a/',
    'https://[]/',
  ],
  ['host', 'https://256.256.256.256/', 'https://1.2.3.4.5/', 'https://0x100000000/', 'https://4294967296/'],
  ['host', 'https://hooks..example/', 'https://.hooks.example/', 'https://hooks.example../', 'https://./'],
  [
    'host',
    'https://127.0.0.1../',
    'https://%31%32%37.0.0.1/',
    'https://hooks%2eexample/',
    'https://a%00.example/',
  ],
  [
    'host',
    'https://-hooks.example/',
    'https://hooks-.example/',
    'https://hooks.exa$mple/',
    'https://a,b.example/',
  ],
  [
    'host',
    'https://hooks!.example',
    'https://(a).example',
    'https://a;b.example',
    'https://a=b.example',
    "https://a'.b",
  ],
  [
    'host',
    `https://${'a'.repeat(64)}.example/`,
    `https://${'a.'.repeat(130)}example/`,
    'https://a*.example/',
  ],
  [
    'port',
    'https://hooks.example:0/',
    'https://hooks.example:00/',
    'https://8.8.8.8:0/',
    'https://[2606:4700::1]:0',
  ],
  ['length', `https://hooks.example/${'a'.repeat(2048)}`],
]

describe('an invalid URL for messages', () => {
  it.each(BROKEN.flatMap(([fault, ...all]) => all.map(one => [one, fault] as const)))(
    '%j: %s',
    (address, fault) => {
      expect(findUrlFault(address, NONE)).toBe(fault)
      expect(parseEgressUrl(address, NONE)).toBeUndefined()
    },
  )
})

describe('a name that is only used in private networks', () => {
  it.each([
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'LocalHost.',
      'a.localhost',
      'ｌｏｃａｌｈｏｓｔ',
      'ⓛocalhost',
    ],
    ...['localhost.localdomain', 'localhost4.localdomain4', 'ip6-localhost', 'host.docker.internal', 'db'],
    ...[
      'postgres',
      'redis',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'coredns.kube-system',
    ],
    ...[
      'kubernetes.default.svc.cluster.local',
      'vault.service.consul',
      'printer.local',
      'nas.lan',
      'router.home',
    ],
    ...[
      'a.home.arpa',
      '1.0.0.127.in-addr.arpa',
      'a.corp',
      'A.CORP.',
      'intranet',
      'wiki.intranet',
      'x.private',
      'a.test',
    ],
    ...[
      'a.invalid',
      'a.onion',
      'metadata',
      'metadata.google.internal',
      'METADATA.GOOGLE.INTERNAL.',
      'metadata.goog',
    ],
    ...[
      'instance-data',
      'instance-data.ec2.internal',
      'ip-10-0-0-1.eu-west-1.compute.internal',
      'rancher-metadata',
    ],
    ...[
      'metadata.tencentyun.com',
      'metadata.packet.net',
      'api.metadata.cloud.ibm.com',
      'metadata.azure.internal',
    ],
    ...[
      '127.0.0.1.nip.io',
      '10-0-0-1.sslip.io',
      '127.0.0.1.xip.io',
      'nip.io',
      'a.traefik.me',
      'localtest.me',
    ],
    ...[
      'a.localtest.me',
      'lvh.me',
      'a.lvh.me',
      'a.b.nip.io.',
      'host。internal',
      'host．local',
      'db.internal',
      'a.cluster',
    ],
    ...[
      'loca%6c'.replace('%6c', 'l').concat('host'),
      'fritz.box',
      'a.workgroup',
      'service.name1',
      'a.b_c',
      'a.x',
    ],
  ])('%s is rejected', host => {
    expect(findUrlFault(`https://${host}/hook`, NONE)).toBe('inner')
    expect(parseEgressUrl(`https://${host}:8443`, NONE)).toBeUndefined()
  })
})

describe('a valid URL for messages', () => {
  it.each([
    ['https://hooks.example', 'hooks.example', 443],
    ['https://hooks.example/', 'hooks.example', 443],
    ['https://Hooks.Example./a?b=c', 'hooks.example', 443],
    ['https://hooks.example:8443/a', 'hooks.example', 8443],
    ['https://hooks.example:65535', 'hooks.example', 65_535],
    ['https://hooks.example:22', 'hooks.example', 22],
    ['https://a_b.hooks-1.example.com/services/T0/B0/x', 'a_b.hooks-1.example.com', 443],
    ['https://bücher.example/', 'xn--bcher-kva.example', 443],
    ['https://hooks.example/a@b:c', 'hooks.example', 443],
    ['https://hooks.example?@127.0.0.1/', 'hooks.example', 443],
    ['https://hooks.example#@127.0.0.1/', 'hooks.example', 443],
    ['https://hooks.example/%00%20%0a', 'hooks.example', 443],
    ['https://8.8.8.8/a', '8.8.8.8', 443],
    ['https://172.32.0.1:9443/', '172.32.0.1', 9443],
    ['https://[2606:4700::1111]/', '2606:4700::1111', 443],
    ['https://[2606:4700:0:0:0:0:0:1111]:444/', '2606:4700::1111', 444],
    ['https://localhost.example.com/', 'localhost.example.com', 443],
    ['https://internal.example.com/', 'internal.example.com', 443],
    ['https://notnip.io/', 'notnip.io', 443],
    ['https://mylocal.dev/', 'mylocal.dev', 443],
    ['https://test.com/', 'test.com', 443],
    [`https://hooks.example/${'a'.repeat(2048 - 22)}`, 'hooks.example', 443],
  ])('%s', (address, host, port) => {
    expect(findUrlFault(address, NONE)).toBeUndefined()
    expect(parseEgressUrl(address, NONE)).toMatchObject({ host, port })
  })

  it('never has a private host, whatever the user types', () => {
    const piece = fc.constantFrom(
      '127.0.0.1',
      'localhost',
      '@',
      ':',
      '/',
      '\\',
      '#',
      '?',
      '%',
      '.',
      '[::1]',
      'a.example',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 6 }), pieces => {
        const parsed = parseEgressUrl(`https://${pieces.join('')}`, NONE)
        if (!parsed) return
        expect(parsed.host).not.toMatch(/^127\.\d+\.\d+\.\d+$|(^|\.)localhost$|^::1$|[^a-z0-9_.:-]/)
        expect(parsed.url.protocol + parsed.url.username + parsed.url.password).toBe('https:')
      }),
    )
  })
})
