// Checks whether messages may be sent to a URL, as far as possible without DNS: when it is saved, and again before each
// send. reach.ts then checks the addresses that the host name resolves to.
import { isIP } from 'node:net'
import { allowsAddress, allowsName, type EgressAllow } from './allow.ts'
import { classifyAddress } from './classify-address.ts'

const MAX_CHARACTERS = 2048
const MAX_NAME_CHARACTERS = 253
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
/** The format of public top-level domains. `kube-system` and `localdomain4` do not match. */
const TOP_LABEL = /^([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/

/** Suffixes that are only used inside private networks. */
const INNER_SUFFIXES = [
  ...[
    'localhost',
    'local',
    'localdomain',
    'localnet',
    'loopback',
    'internal',
    'intranet',
    'intra',
    'private',
    'priv',
  ],
  ...['lan', 'home', 'home.arpa', 'corp', 'mail', 'workgroup', 'domain', 'router', 'gateway', 'fritz.box'],
  ...['svc', 'cluster.local', 'cluster', 'default', 'consul', 'nomad', 'docker', 'kubernetes', 'k8s', 'mesh'],
  ...['test', 'invalid', 'onion', 'i2p', 'alt', 'arpa'],
]

/** Metadata servers, which hand out cloud credentials. INNER_SUFFIXES already covers those below `internal`. */
const METADATA_NAMES = [
  ...['metadata.goog', 'metadata.tencentyun.com', 'metadata.packet.net', 'metadata.platformequinix.com'],
  'metadata.cloud.ibm.com',
]

/** Services that resolve names to an address spelled in the name. The address is checked too; this fails earlier. */
const WILDCARD_DNS_SERVICES = [
  ...['nip.io', 'sslip.io', 'xip.io', 'traefik.me', 'localtest.me', 'lvh.me', 'vcap.me', 'lacolhost.com'],
  ...['local.gd', 'localho.st', 'rbndr.us', '1u.ms'],
]

const REJECTED_SUFFIXES = [...INNER_SUFFIXES, ...METADATA_NAMES, ...WILDCARD_DNS_SERVICES]

/** Why a URL is rejected, as a code, so that messages need not repeat the URL. */
export type UrlFault = 'length' | 'scheme' | 'characters' | 'userinfo' | 'host' | 'port' | 'inner'

export interface EgressUrl {
  url: URL
  /** An address without brackets, or a name in lower case without a final dot. */
  host: string
  port: number
}

export function parseEgressUrl(address: string, allow: EgressAllow): EgressUrl | undefined {
  const checked = checkUrl(address, allow)
  return typeof checked === 'string' ? undefined : checked
}

export function findUrlFault(address: string, allow: EgressAllow): UrlFault | undefined {
  const checked = checkUrl(address, allow)
  return typeof checked === 'string' ? checked : undefined
}

function checkUrl(address: string, allow: EgressAllow): EgressUrl | UrlFault {
  if (address.length > MAX_CHARACTERS) return 'length'
  if (!/^https:\/\//.test(address)) return 'scheme'
  // URL parsers disagree about these characters, so reject them.
  if (/[\p{C}\p{Z}\\]/u.test(address)) return 'characters'
  const authority = /^[^/?#]*/.exec(address.slice('https://'.length))?.[0] ?? ''
  if (authority.includes('@')) return 'userinfo'
  const url = parseUrl(address)
  if (authority === '' || authority.includes('%') || !url) return 'host'
  if (url.username !== '' || url.password !== '') return 'userinfo'
  const host = getHost(url)
  const fault = isIP(host) > 0 ? findAddressFault(host, allow) : findNameFault(host, allow)
  if (fault) return fault
  if (isIP(host) === 4 && !isWrittenAs(host, authority)) return 'host'
  const port = url.port === '' ? 443 : Number(url.port)
  return port === 0 ? 'port' : { url, host, port }
}

export function getHost({ hostname }: URL): string {
  return normalizeHost(hostname)
}

/** Lower case, no final dot, no brackets. */
export function normalizeHost(text: string): string {
  return text.startsWith('[') ? text.slice(1, -1) : text.toLowerCase().replace(/\.$/, '')
}

/** `010.0.0.1` is 8.0.0.1 to some programs and 10.0.0.1 to others; only four plain decimal numbers are unambiguous. */
function isWrittenAs(ip: string, authority: string): boolean {
  return authority.replace(/:\d*$/, '') === ip
}

function findAddressFault(ip: string, allow: EgressAllow): UrlFault | undefined {
  return classifyAddress(ip).is_public || allowsAddress(allow, ip) ? undefined : 'inner'
}

function findNameFault(name: string, allow: EgressAllow): UrlFault | undefined {
  const labels = name.split('.')
  if (name.length > MAX_NAME_CHARACTERS || !labels.every(label => LABEL.test(label))) return 'host'
  if (allowsName(allow, name)) return undefined
  if (labels.length === 1 || !TOP_LABEL.test(labels.at(-1) ?? '')) return 'inner'
  const isRejected = REJECTED_SUFFIXES.some(suffix => name === suffix || name.endsWith(`.${suffix}`))
  return isRejected ? 'inner' : undefined
}

/** Not `URL.canParse`: once optimized, Node 20 misreads accented letters in it. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
