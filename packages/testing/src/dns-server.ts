// A local name server whose responses a test controls, query by query if needed.
import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'

const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const
type QueryType = 'A' | 'AAAA' | 'TXT'
const SERVFAIL = 2
const NXDOMAIN = 3

/** Addresses (or texts, for TXT) of the requested type, perhaps under an alias; or a failure; or silence. */
type Answer = string[] | { cname: string; addresses: string[] } | 'SERVFAIL' | 'NXDOMAIN' | 'silence'

export interface DnsServer {
  /** The address and the port: `127.0.0.1:5353`. */
  address: string
  /** `A hooks.example`, oldest first. */
  queries: string[]
  /** The response for each name; the server omits addresses of the other type. */
  names: Record<string, (type: QueryType) => Answer>
  stop(): Promise<void>
}

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const dns: DnsServer = {
    address: '',
    queries: [],
    names: {},
    stop: () => new Promise(resolve => socket.close(() => resolve())),
  }
  socket.on('message', (query, from) => {
    const { name, type, question } = readQuestion(query)
    if (type === undefined) return
    dns.queries.push(`${type} ${name}`)
    const answer = dns.names[name]?.(type) ?? 'NXDOMAIN'
    if (answer !== 'silence') socket.send(buildReply(query, question, type, answer), from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  dns.address = `127.0.0.1:${socket.address().port}`
  return dns
}

function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const asked = query.readUInt16BE(at + 1)
  const type = (['A', 'AAAA', 'TXT'] as const).find(name => TYPES[name] === asked)
  return { name: labels.join('.').toLowerCase(), type, question: query.subarray(12, at + 5) }
}

function buildReply(
  query: Buffer,
  question: Buffer,
  type: QueryType,
  answer: Exclude<Answer, 'silence'>,
): Buffer {
  const records = typeof answer === 'string' ? [] : buildRecords(type, answer)
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  const code = answer === 'SERVFAIL' ? SERVFAIL : answer === 'NXDOMAIN' ? NXDOMAIN : 0
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, question, ...records])
}

function buildRecords(type: QueryType, answer: Extract<Answer, object>): Buffer[] {
  const asked = Buffer.from([0xc0, 12])
  const [owner, addresses] = Array.isArray(answer)
    ? [asked, answer]
    : [encodeName(answer.cname), answer.addresses]
  const found = type === 'TXT' ? addresses.map(encodeText) : encodeAddresses(type, addresses)
  const alias = Array.isArray(answer) ? [] : [encodeRecord(asked, TYPES.CNAME, encodeName(answer.cname))]
  return [...alias, ...found.map(bytes => encodeRecord(owner, TYPES[type], bytes))]
}

function encodeAddresses(type: 'A' | 'AAAA', addresses: string[]): Buffer[] {
  return type === 'A'
    ? addresses.filter(ip => isIP(ip) === 4).map(ip => Buffer.from(ip.split('.').map(Number)))
    : addresses.filter(ip => isIP(ip) === 6).map(encodeIpv6)
}

function encodeIpv6(ip: string): Buffer {
  // A URL writes every group in hexadecimal, also the last two of `::ffff:10.0.0.1`.
  const [head = [], tail = []] = new URL(`http://[${ip}]`).hostname
    .slice(1, -1)
    .split('::')
    .map(half => half.split(':').filter(group => group !== ''))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return Buffer.from([...head, ...zeros, ...tail].map(group => group.padStart(4, '0')).join(''), 'hex')
}

/** In chunks of at most 255 bytes, as DNS requires. */
function encodeText(text: string): Buffer {
  const pieces = text.match(/.{1,255}/gs) ?? ['']
  return Buffer.concat(pieces.flatMap(piece => [Buffer.from([piece.length]), Buffer.from(piece, 'latin1')]))
}

function encodeRecord(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, head, data])
}

function encodeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}
