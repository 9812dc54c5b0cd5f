// The memory of this process that slow clients may occupy: responses that they have not read yet, and bodies that they
// have not finished sending. Whoever would exceed a bound waits for a moment, before the work on the request begins.
import type { EventEmitter } from 'node:events'
import {
  expectBytes,
  findLack,
  type Lack,
  learnBytes,
  type RoomLimits,
  SMALL_BYTES,
  sortWaiting,
} from '../domain/clients/room.ts'
import { noRoom } from '../lib/errors.ts'
import { putNewest } from '../lib/put-newest.ts'

const MAX_KNOWN = 20_000

export interface RoomSettings extends RoomLimits {
  /** How long a request waits for room before it is refused. */
  wait_ms: number
}

/** The part of the room that one request occupies. */
export interface Place {
  /** Occupies so many bytes or more. Throws if there is no room for them. */
  grow(bytes: number): void
  /** Occupies so many bytes without a check. */
  resize(bytes: number): void
  /** Remembers the size of the response for later ones of its kind. */
  learn(bytes: number): void
  /** Keeps the place until there was one `leave` more. */
  stay(): void
  leave(): void
}

export interface Room {
  /** Waits for room for a response of this kind. Its size is expected from earlier ones. */
  enterToRead(client: string, kind: string, socket: Socket): Promise<Place>
  /** Waits for room for a body. */
  enterToSend(client: string, bytes: number, socket: Socket): Promise<Place>
  counters: { bytes: number; waiting: number; refused: Record<Lack, number> }
}

/** Closes when the client disconnects. */
type Socket = Pick<EventEmitter, 'once' | 'off'> & { readonly destroyed: boolean }

interface Visit {
  client: string
  /** What is occupied on arrival; it may change while the request waits. */
  countBytes(): number
  begin(): void
  learn(bytes: number): void
  end(): void
  socket: Socket
}

export function makeRoom(settings: RoomSettings): Room {
  const ledger = makeLedger(settings)
  const sizes = makeSizes()
  const enter = makeEntrance(ledger, settings.wait_ms)
  return {
    counters: ledger.counters,
    enterToRead: (client, kind, socket) => {
      const asked = { of_client: `${client} ${kind}`, kind }
      return enter({
        client,
        socket,
        countBytes: () => sizes.expect(asked),
        begin: () => sizes.begin(asked),
        learn: bytes => sizes.learn(asked, bytes),
        end: () => sizes.end(asked),
      })
    },
    enterToSend: (client, bytes, socket) =>
      enter({ client, socket, countBytes: () => bytes, begin: ignore, learn: ignore, end: ignore }),
  }
}

const ignore = () => undefined

interface Asked {
  of_client: string
  kind: string
}

/** What is known about the sizes of responses. */
function makeSizes() {
  const known = new Map<string, number>()
  /** The first requests of their kinds that are under way. */
  const firsts = new Map<string, number>()
  return {
    expect: ({ of_client, kind }: Asked) =>
      expectBytes({ to_client: known.get(of_client), to_anybody: known.get(kind) }, !firsts.has(of_client)),
    begin: ({ of_client }: Asked) => {
      if (!known.has(of_client)) firsts.set(of_client, (firsts.get(of_client) ?? 0) + 1)
    },
    learn: ({ of_client, kind }: Asked, bytes: number) => {
      for (const entry of [of_client, kind])
        putNewest(known, entry, learnBytes(known.get(entry), bytes), MAX_KNOWN)
    },
    end: ({ of_client }: Asked) => {
      const left = (firsts.get(of_client) ?? 0) - 1
      if (left > 0) firsts.set(of_client, left)
      else firsts.delete(of_client)
    },
  }
}

interface Ledger {
  counters: Room['counters']
  findLack(client: string, bytes: number, own: number): Lack | undefined
  getHeld(client: string): number
  change(client: string, by: number): void
  refuse(lack: Lack): Error
  onFreed: () => void
}

function makeLedger(limits: RoomLimits): Ledger {
  const held = new Map<string, number>()
  const counters = { bytes: 0, waiting: 0, refused: { client: 0, process: 0 } }
  const getHeld = (client: string) => held.get(client) ?? 0
  const ledger: Ledger = {
    counters,
    getHeld,
    onFreed: () => undefined,
    findLack: (client, bytes, own) =>
      findLack(bytes, { of_client: getHeld(client) - own, in_all: counters.bytes - own }, limits),
    change: (client, by) => {
      const bytes = getHeld(client) + by
      if (bytes > 0) held.set(client, bytes)
      else held.delete(client)
      counters.bytes += by
      if (by < 0) ledger.onFreed()
    },
    refuse: lack => {
      counters.refused[lack] += 1
      return noRoom(lack)
    },
  }
  return ledger
}

function takePlace(ledger: Ledger, { client, countBytes, begin, learn, end }: Visit): Place {
  let own = 0
  let users = 1
  const resize = (bytes: number) => {
    if (users === 0) return
    const by = bytes - own
    own = bytes
    ledger.change(client, by)
  }
  // A request that has waited long enough for a size that nobody knows begins without it.
  const expected = countBytes()
  resize(Number.isFinite(expected) ? expected : SMALL_BYTES)
  begin()
  return {
    resize,
    learn: bytes => {
      learn(bytes)
      ledger.onFreed()
    },
    grow: bytes => {
      if (bytes <= own) return
      const lack = ledger.findLack(client, bytes, own)
      if (lack) throw ledger.refuse(lack)
      resize(bytes)
    },
    stay: () => {
      users += 1
    },
    leave: () => {
      if (users === 0) return
      if (users === 1) {
        end()
        resize(0)
        ledger.onFreed()
      }
      users -= 1
    },
  }
}

interface Waiting extends Visit {
  of_client: number
  admit(): void
}

function makeEntrance(ledger: Ledger, wait_ms: number): (visit: Visit) => Promise<Place> {
  const waiting = new Set<Waiting>()
  const setWaiting = (change: () => void) => {
    change()
    ledger.counters.waiting = waiting.size
  }
  const look = () => {
    for (const one of waiting) one.of_client = ledger.getHeld(one.client)
    for (const one of sortWaiting([...waiting]))
      if (!ledger.findLack(one.client, one.countBytes(), 0)) one.admit()
  }
  ledger.onFreed = runOnceATurn(() => waiting.size > 0 && look())
  return visit =>
    new Promise((resolve, reject) => {
      // Nothing would leave the place of a request that has ended.
      const admit = () =>
        visit.socket.destroyed ? reject(noRoom('client')) : resolve(takePlace(ledger, visit))
      if (!ledger.findLack(visit.client, visit.countBytes(), 0)) return admit()
      const stop = () => {
        clearTimeout(timer)
        visit.socket.off('close', giveUp)
        setWaiting(() => waiting.delete(own))
      }
      const giveUp = () => {
        stop()
        const bytes = visit.countBytes()
        const lack = Number.isFinite(bytes) ? ledger.findLack(visit.client, bytes, 0) : undefined
        if (lack) reject(ledger.refuse(lack))
        else admit()
      }
      const own: Waiting = {
        ...visit,
        of_client: 0,
        admit: () => {
          stop()
          admit()
        },
      }
      setWaiting(() => waiting.add(own))
      const timer = setTimeout(giveUp, wait_ms)
      visit.socket.once('close', giveUp)
    })
}

/** Chunks are freed by the thousand. */
function runOnceATurn(work: () => void): () => void {
  let isPlanned = false
  return () => {
    if (isPlanned) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      work()
    })
  }
}
