// Reads the stream of changes over a real connection, for tests: what it received, and how the stream ended.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestApp } from './harness.ts'
import { until } from './patience.ts'

interface ReceivedEvent {
  id: string | undefined
  event: string
  data: Readonly<Record<string, unknown>>
}

export interface StreamReader {
  status: number
  headers: http.IncomingHttpHeaders
  /** Everything received so far. */
  text(): string
  events(): ReceivedEvent[]
  /** The kinds of the changes so far. */
  kinds(): string[]
  lastId(): string | undefined
  isOver(): boolean
  /** Whether the server ended it properly instead of cutting the connection. */
  isComplete(): boolean
  /** Stops or continues to read from the connection. */
  pause(): void
  resume(): void
  close(): void
}

export interface OpenOptions {
  key?: string | undefined
  cookie?: string
  last_event_id?: string | undefined
  org?: string
  query?: string
}

export async function listen(app: TestApp): Promise<number> {
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.server.address() as AddressInfo).port
}

/** Resolves when the response begins. */
export function openStream(port: number, options: OpenOptions): Promise<StreamReader> {
  const { key, cookie, last_event_id, org = 'acme', query = '' } = options
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(last_event_id === undefined ? {} : { 'last-event-id': last_event_id }),
  }
  return new Promise((resolve, reject) => {
    const request = http.get(
      { port, host: '127.0.0.1', path: `/api/v2/events/${org}/stream${query}`, headers, agent: false },
      response => resolve(readResponse(request, response)),
    )
    request.on('error', reject)
  })
}

function readResponse(request: http.ClientRequest, response: http.IncomingMessage): StreamReader {
  let text = ''
  let isOver = false
  response.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  response
    .on('error', () => undefined)
    .on('close', () => {
      isOver = true
    })
  const events = () => parseEvents(text)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events,
    kinds: () => events().flatMap(({ event, data }) => (event === 'changed' ? [String(data.kind)] : [])),
    lastId: () => events().findLast(({ id }) => id !== undefined)?.id,
    isOver: () => isOver,
    isComplete: () => response.complete,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void request.destroy(),
  }
}

/** Only complete events: the last one may still be incomplete. */
function parseEvents(text: string): ReceivedEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap(block => {
      const fields = new Map(
        block.split('\n').map(line => {
          const colon = line.indexOf(': ')
          return [line.slice(0, colon), line.slice(colon + 2)] as const
        }),
      )
      const data = fields.get('data')
      if (data === undefined) return []
      return [{ id: fields.get('id'), event: fields.get('event') ?? 'message', data: JSON.parse(data) }]
    })
}

/** Waits until the stream has reported this event. */
export const untilKind = (reader: StreamReader, kind: string) => until(() => reader.kinds().includes(kind))
