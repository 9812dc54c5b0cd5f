// Prepared statements behind the test pooler: each client has its own names, and each server connection has
// the statements that were needed on it, under names derived from their text. Matches responses with requests
// in order, so that the client sees exactly one response for each message.
import { createHash } from 'node:crypto'
import type net from 'node:net'
import { readName, writeMessage } from './pooler-frames.ts'

/** The next response from the server, or from the pooler on its behalf. */
interface Expected {
  request: string
  /** Sent instead of the server's response. */
  made_up?: Buffer
  /** The client did not request it. */
  is_ours?: boolean
  /** Sent if the server skipped the message because of an error. */
  undo?: () => void
}

export interface Backend {
  socket: net.Socket
  prepared: Set<string>
  expected: Expected[]
  /** After an error the server ignores everything up to the next Sync. */
  has_failed: boolean
  client: Client | undefined
  /** Whether the transaction has ended and no responses are pending. */
  onMessage?: (type: string, body: Buffer) => boolean
}

export interface Client {
  socket: net.Socket
  /** By the client's name: the statement's own name on every server, and its text with the types. */
  statements: Map<string, { name: string; rest: Buffer }>
  /** Messages that wait for a server connection. */
  held: Buffer[]
  backend: Backend | undefined
}

export function makeClient(socket: net.Socket): Client {
  return { socket, statements: new Map(), held: [], backend: undefined }
}

const LAST_RESPONSES: Readonly<Record<string, string>> = {
  P: '1',
  B: '2',
  C: '3',
  D: 'Tn',
  E: 'CIs',
  S: 'Z',
  Q: 'Z',
}

export function sendToBackend(client: Client, backend: Backend, message: Buffer): void {
  backend.onMessage = (type, body) => receive(client, backend, type, body)
  const request = String.fromCharCode(message[0] ?? 0)
  if (request === 'S') backend.has_failed = false
  if (backend.has_failed) return
  const body = message.subarray(5)
  const send = (sent: Buffer, more: Partial<Expected> = {}) => {
    backend.expected.push({ request: String.fromCharCode(sent[0] ?? 0), ...more })
    backend.socket.write(sent)
  }
  const prepare = (statement: { name: string; rest: Buffer }, is_ours: boolean) => {
    backend.prepared.add(statement.name)
    const undo = () => void backend.prepared.delete(statement.name)
    const parse = Buffer.concat([Buffer.from(`${statement.name}\0`), statement.rest])
    send(writeMessage('P', parse), { is_ours, undo })
  }
  if (request === 'P' && body[0] !== 0) {
    const [name, after] = readName(body, 0)
    const rest = body.subarray(after)
    const statement = { name: `pooler_${createHash('sha256').update(rest).digest('hex').slice(0, 32)}`, rest }
    client.statements.set(name, statement)
    if (backend.prepared.has(statement.name)) makeUp(client, backend, 'P', '1')
    else prepare(statement, false)
  } else if (request === 'C' && body[0] === 0x53 && body[1] !== 0) {
    client.statements.delete(readName(body, 1)[0])
    makeUp(client, backend, 'C', '3')
  } else if (request === 'B' || (request === 'D' && body[0] === 0x53)) {
    const start = request === 'B' ? readName(body, 0)[1] : 1
    const [name, after] = readName(body, start)
    const statement = client.statements.get(name)
    if (!statement) {
      send(message)
      return
    }
    if (!backend.prepared.has(statement.name)) prepare(statement, true)
    const renamed = [body.subarray(0, start), Buffer.from(`${statement.name}\0`), body.subarray(after)]
    send(writeMessage(request, Buffer.concat(renamed)))
  } else if (request in LAST_RESPONSES) send(message)
  else backend.socket.write(message)
}

function makeUp(client: Client, backend: Backend, request: string, response: string): void {
  backend.expected.push({ request, made_up: writeMessage(response) })
  answerOurselves(client, backend)
}

function answerOurselves({ socket }: Client, { expected }: Backend): void {
  while (expected[0]?.made_up) socket.write(expected.shift()?.made_up as Buffer)
}

function receive(client: Client, backend: Backend, type: string, body: Buffer): boolean {
  const { expected } = backend
  const [current] = expected
  const isLast = current !== undefined && (LAST_RESPONSES[current.request] ?? '').includes(type)
  if (type === 'E' && current?.request !== 'Q') {
    client.socket.write(writeMessage(type, body))
    while (expected[0] && expected[0].request !== 'S') expected.shift()?.undo?.()
    backend.has_failed = expected.length === 0
    return false
  }
  if (!(isLast && current.is_ours)) client.socket.write(writeMessage(type, body))
  if (!isLast) return false
  expected.shift()
  answerOurselves(client, backend)
  return type === 'Z' && body[0] === 0x49 && expected.length === 0
}
