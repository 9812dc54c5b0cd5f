// The open streams of this process: how many are allowed, what is sent to each, and when each ends. A stream
// announces changes by kind and name; the reader then asks the API for the content, which checks access.
import { Readable } from 'node:stream'
import type { Database } from '../db/database.ts'
import { findResumption, formatPosition, type Head } from '../domain/live/position.ts'
import type { Clock } from '../lib/clock.ts'
import { tooManyStreams } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { type Feed, type Follower, MOST_BEHIND, makeFeed } from './feed.ts'
import { type LoggedChange, readChanges, readHeads } from './store.ts'

/** The limits for one process. */
export const STREAM_LIMITS = { per_caller: 20, per_sponsor: 1_000, in_all: 5_000 } as const
const RETRY_AFTER_S = 10
/** How much a reader may leave unread before it is cut off. */
const MOST_UNREAD_BYTES = 256 * 1024
/** How long a browser waits before it reconnects. */
const RETRY_MS = 1_000

export interface StreamTimes {
  /** Interval between two looks at the logs. */
  poll_ms: number
  /** Interval between two heartbeats, each of which also checks the credential. */
  beat_ms: number
}

export const STREAM_TIMES: StreamTimes = { poll_ms: 500, beat_ms: 15_000 }

type StreamEnd = 'client' | 'slow' | 'refused' | 'moved' | 'stopped'

interface Reader {
  org_id: string
  /** Who stands behind the organization (domain/sponsor.ts). */
  sponsor: string
  caller_id: string
  role: string
  last_event_id: string | undefined
  /** Resolves with the role while the caller may read the organization, and rejects afterwards. */
  recheck(): Promise<string>
}

export interface Streams {
  /** Rejects with 429 or 503 if there are too many already. */
  open(reader: Reader): Promise<Readable>
  /** Sends the changes until now, and then ends. */
  readOnce(reader: Reader): Promise<Readable>
  /** Ends the streams of readers who have lost access: one caller, or everybody in an organization. */
  recheck(caller_or_org_id: string): void
  recheckAll(): void
  counters: { open: number; sent: number; ended: Record<StreamEnd, number> }
  stop(): Promise<void>
}

export interface StreamParts {
  db: Database
  clock: Clock
  log: Log
  times: StreamTimes
}

interface OpenStream {
  reader: Reader
  check(): void
  end(reason: StreamEnd): void
}

export function makeStreams(parts: StreamParts): Streams {
  const { db, clock, times } = parts
  const feed = makeFeed({ ...parts, poll_ms: times.poll_ms })
  const open = new Set<OpenStream>()
  const ended = { client: 0, slow: 0, refused: 0, moved: 0, stopped: 0 }
  const counters = { open: 0, sent: 0, ended }
  let isStopped = false
  const recheckThose = (isMeant: (reader: Reader) => boolean) => {
    for (const stream of open) if (isMeant(stream.reader)) stream.check()
  }
  return {
    counters,
    open: async reader => {
      refuseTooMany(open, reader)
      const onEnd = (stream: OpenStream, reason: StreamEnd) => {
        if (!open.delete(stream)) return
        counters.open -= 1
        ended[reason] += 1
      }
      const onSent = () => {
        counters.sent += 1
      }
      const { stream, start } = makeStream({ ...parts, feed, reader, onEnd, onSent })
      // Before the first wait, so that concurrent requests do not all pass the limit.
      open.add(stream)
      counters.open += 1
      const content = await start()
      if (isStopped) stream.end('stopped')
      return content
    },
    readOnce: async reader => {
      const [head = { epoch: 1, size: 0 }] = await readHeads(db, [reader.org_id])
      return Readable.from(await readMissed(db, clock, reader, head))
    },
    recheck: id => recheckThose(({ caller_id, org_id }) => caller_id === id || org_id === id),
    recheckAll: () => recheckThose(() => true),
    stop: async () => {
      isStopped = true
      for (const stream of open) stream.end('stopped')
      await feed.stop()
    },
  }
}

function refuseTooMany(open: ReadonlySet<OpenStream>, { caller_id, sponsor }: Reader): void {
  const { per_caller, per_sponsor, in_all } = STREAM_LIMITS
  const streams = [...open].map(({ reader }) => reader)
  const own = streams.filter(reader => reader.caller_id === caller_id).length
  if (own >= per_caller) throw tooManyStreams(429, 'You have', own, RETRY_AFTER_S)
  const of_sponsor = streams.filter(reader => reader.sponsor === sponsor).length
  if (of_sponsor >= per_sponsor) {
    throw tooManyStreams(
      429,
      'This organization and those that share its turns have',
      of_sponsor,
      RETRY_AFTER_S,
    )
  }
  if (streams.length >= in_all) throw tooManyStreams(503, 'The server has', streams.length, RETRY_AFTER_S)
}

interface NewStream extends StreamParts {
  feed: Feed
  reader: Reader
  onEnd(stream: OpenStream, reason: StreamEnd): void
  onSent(): void
}

function makeStream({ db, clock, feed, reader, times, onEnd, onSent }: NewStream) {
  const content = new Readable({ read: () => undefined })
  let epoch = 1
  let isOver = false
  let begin: () => void = () => undefined
  /** Sends one message after another, starting with what the reader has missed. */
  let sending = new Promise<void>(resolve => {
    begin = resolve
  })
  const end = (reason: StreamEnd) => {
    if (isOver) return
    isOver = true
    clearInterval(beat)
    feed.unfollow(reader.org_id, follower)
    onEnd(stream, reason)
    if (reason === 'slow') content.destroy()
    else content.push(null)
  }
  /** Sends after checking that the caller may still read. */
  const send = (render: () => string[]) => {
    sending = sending.then(async () => {
      if (isOver) return
      const role = await reader.recheck().catch(() => undefined)
      if (isOver) return
      if (role !== reader.role) return end('refused')
      for (const event of render()) {
        content.push(event)
        onSent()
      }
      if (content.readableLength > MOST_UNREAD_BYTES) end('slow')
    })
  }
  const follower: Follower = {
    onChanges: changes => send(() => changes.map(change => formatChange(epoch, change))),
    onUnlogged: change => send(() => [formatEvent('changed', change)]),
    onReset: head =>
      send(() => {
        epoch = head.epoch
        return [formatOpened(clock, head, false)]
      }),
    onMoved: () => end('moved'),
  }
  const stream: OpenStream = { reader, end, check: () => send(() => []) }
  const beat = setInterval(() => send(() => [formatTime(clock)]), times.beat_ms).unref()
  content.on('close', () => end('client'))
  const start = async () => {
    try {
      const head = await feed.follow(reader.org_id, follower)
      epoch = head.epoch
      const events = await readMissed(db, clock, reader, head)
      for (const event of [`retry: ${RETRY_MS}\n\n`, ...events]) if (!isOver) content.push(event)
      begin()
      return content
    } catch (error) {
      end('refused')
      throw error
    }
  }
  return { stream, start }
}

/** The changes between the reader's position and the head, or only the head if the reader has no usable position. */
async function readMissed(
  db: Database,
  clock: Clock,
  { org_id, last_event_id }: Reader,
  head: Head,
): Promise<string[]> {
  const position = findResumption(last_event_id, head, MOST_BEHIND)
  if (!position) return [formatOpened(clock, head, false)]
  const { epoch, next: from } = position
  const limit = head.size - from
  const missed = limit === 0 ? [] : await readChanges(db, org_id, { epoch, from, limit })
  return [
    formatOpened(clock, { epoch, size: from }, true),
    ...missed.map(change => formatChange(epoch, change)),
  ]
}

function formatOpened(clock: Clock, { epoch, size }: Head, is_resumed: boolean): string {
  return formatEvent('opened', { is_resumed, now: readSeconds(clock) }, formatPosition({ epoch, next: size }))
}

function formatTime(clock: Clock): string {
  return formatEvent('time', { now: readSeconds(clock) })
}

const readSeconds = (clock: Clock) => clock.now().getTime() / 1000

function formatChange(epoch: number, { seq, ...change }: LoggedChange): string {
  return formatEvent('changed', change, formatPosition({ epoch, next: seq + 1 }))
}

/** JSON contains no line breaks, so one data line is enough. */
function formatEvent(event: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
