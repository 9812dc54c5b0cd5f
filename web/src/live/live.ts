// Follows the changes in the page's organization, over one stream. If streams do not get through, or enough
// pages of this browser have one, it polls instead. Both continue after the last known change, so that
// nothing is missed in between.
import type { Change } from './affected.ts'
import type { Connection } from './connection.ts'
import { isNewer } from './position.ts'
import { readEvents, type ServerEvent } from './read-events.ts'
import { takeStreamLock } from './stream-locks.ts'
import { makeWatch, pause, watchHidden, whenVisible } from './waits.ts'

/** The first event arrives immediately, the others at least every 15 seconds. */
const FIRST_EVENT_MS = 10_000
const NEXT_EVENT_MS = 45_000
const RECONNECT_MS = 300
export const POLL_MS = 10_000
/** Looking at another tab does not end the stream. */
const HIDDEN_MS = 5_000
/** How often it polls before it tries a stream again. */
const POLLS = 6

export interface LiveParts {
  connection: Connection
  open(
    org: string,
    request: { last_event_id: string | undefined; follow: boolean; signal: AbortSignal },
  ): Promise<Response>
  onChange(change: Change): void
  /** Changes may have been missed. */
  onReset(org: string): void
  onTime(server_ms: number): void
  onSignedOut(): void
  /** The user may no longer see the organization, or there is none. */
  onRefused(): void
  /** Whether it polls, so that the page may lag behind the server by that long. */
  onPolling(isPolling: boolean): void
}

export interface Live {
  /**
   * Ends the stream of any other organization. Resolves when changes from now on will be noticed, or cannot
   * be.
   */
  follow(org: string | undefined): Promise<void>
  /** The organization whose changes are followed. */
  getOrg(): string | undefined
  /** Asks for the changes until now. Rejects if there is no response, or nothing new. */
  catchUp(): Promise<void>
}

interface Followed {
  org: string
  abort: AbortController
  last_event_id: string | undefined
  onOpened(): void
  opened: Promise<void>
}

/**
 * `blocked`: the responses do not get through, or there are too many streams. `over`: there is nothing to
 * follow.
 */
type Outcome = 'ended' | 'blocked' | 'over'

export function makeLive(parts: LiveParts): Live {
  let followed: Followed | undefined
  return {
    follow: org => {
      if (org === followed?.org) return followed?.opened ?? Promise.resolve()
      followed?.abort.abort()
      followed = org === undefined ? undefined : startFollowing(parts, org)
      return followed?.opened ?? Promise.resolve()
    },
    getOrg: () => followed?.org,
    catchUp: async () => {
      const now = followed
      if (now?.last_event_id === undefined) throw new Error('nothing is followed')
      const { last_event_id } = now
      if ((await readOnce(parts, now)) !== 'ended') throw new Error('there is no answer')
      if (now.last_event_id === last_event_id) throw new Error('there is nothing new')
    },
  }
}

function startFollowing(parts: LiveParts, org: string): Followed {
  let onOpened: () => void = () => undefined
  const opened = new Promise<void>(resolve => {
    onOpened = resolve
  })
  const followed = { org, abort: new AbortController(), last_event_id: undefined, onOpened, opened }
  void run(parts, followed).finally(onOpened)
  return followed
}

async function run(parts: LiveParts, followed: Followed): Promise<void> {
  const { signal } = followed.abort
  while (!signal.aborted) {
    await whenVisible()
    await parts.connection.whenUp()
    const outcome = await follow(parts, followed).catch(() => fail(parts, signal))
    followed.onOpened()
    if (outcome === 'over') return
    if (outcome === 'blocked') await poll(parts, followed)
    else await pause(RECONNECT_MS)
  }
}

async function follow(parts: LiveParts, followed: Followed): Promise<Outcome> {
  const release = await takeStreamLock()
  if (release) return readStream(parts, followed, true).finally(release)
  // From here on no change is missed, as with a stream.
  return (await readOnce(parts, followed)) === 'over' ? 'over' : 'blocked'
}

/** A request without any response. */
function fail({ connection }: LiveParts, signal: AbortSignal): Outcome {
  if (!signal.aborted) connection.reportFailure()
  return 'ended'
}

async function poll(parts: LiveParts, followed: Followed): Promise<void> {
  const { signal } = followed.abort
  if (!signal.aborted) parts.onPolling(true)
  for (let i = 0; i < POLLS && !signal.aborted; i++) {
    await pause(POLL_MS)
    await whenVisible()
    await parts.connection.whenUp()
    if (signal.aborted) return
    await readOnce(parts, followed).catch(() => fail(parts, signal))
    assumeUnlogged(parts, followed.org)
  }
}

/** No stream reports unlogged changes that happened between two streams. */
function assumeUnlogged({ onChange }: LiveParts, org: string): void {
  onChange({ kind: 'environment_reported', org })
  onChange({ kind: 'delivery_finished', org })
}

const readOnce = (parts: LiveParts, followed: Followed) => readStream(parts, followed, false)

async function readStream(parts: LiveParts, followed: Followed, follow: boolean): Promise<Outcome> {
  const attempt = new AbortController()
  const { org, abort, last_event_id } = followed
  const signal = AbortSignal.any([abort.signal, attempt.signal])
  const watch = makeWatch(attempt)
  const unwatch = follow ? watchHidden(HIDDEN_MS, () => attempt.abort()) : undefined
  let received = 0
  try {
    watch(FIRST_EVENT_MS)
    const response = await parts.open(org, { last_event_id, follow, signal })
    const refusal = readRefusal(parts, response)
    if (refusal || !response.body) return refusal ?? 'blocked'
    for await (const event of readEvents(response.body)) {
      received += 1
      watch(NEXT_EVENT_MS)
      if (follow) parts.onPolling(false)
      handle(parts, followed, event)
      const isContinued = last_event_id !== undefined && event.event === 'opened'
      if (follow && isContinued) assumeUnlogged(parts, org)
    }
    return received === 0 ? 'blocked' : 'ended'
  } catch (error) {
    if (!attempt.signal.aborted && received === 0) throw error
    return received === 0 && !document.hidden ? 'blocked' : 'ended'
  } finally {
    watch(undefined)
    unwatch?.()
  }
}

function readRefusal(parts: LiveParts, { ok, status }: Response): Outcome | undefined {
  if (ok) return undefined
  if (status === 401) parts.onSignedOut()
  if (status === 403 || status === 404) parts.onRefused()
  if (status >= 500) parts.connection.suspect()
  return status === 401 || status === 403 || status === 404 ? 'over' : 'blocked'
}

function handle(parts: LiveParts, followed: Followed, { id, event, data }: ServerEvent): void {
  const said = JSON.parse(data) as Record<string, unknown>
  if (typeof said.now === 'number') parts.onTime(said.now * 1000)
  if (event === 'opened') {
    const isFirst = followed.last_event_id === undefined
    if (said.is_resumed !== true) {
      followed.last_event_id = id
      parts.onReset(followed.org)
    }
    if (isFirst) followed.onOpened()
  }
  if (event !== 'changed') return
  if (id !== undefined) {
    // A change that was already noticed: both the stream and a single request may report it.
    if (!isNewer(id, followed.last_event_id)) return
    followed.last_event_id = id
  }
  parts.onChange({ ...(said as object), kind: String(said.kind), org: followed.org })
}
