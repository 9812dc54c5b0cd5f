// Listens for changes of callers (notify_caller_change in the schema) on its own connection, which must be direct: a
// transaction pooler forgets LISTEN. While the connection is down, changes are missed, so it reports each
// reconnection.
import type pg from 'pg'

const CHANNEL = 'caller_changes'
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5_000

export interface CallerChanges {
  connect(): Promise<pg.Client>
  /** The id of a user, service account, trust rule or organization. */
  onChange(id: string): void
  /** Reports that changes may have been missed until now. */
  onConnected(): void
  /** Called once per loss, however many attempts to reconnect fail. */
  onLost(error: unknown): void
}

export interface ChangeListener {
  stop(): Promise<void>
}

export function listenForCallerChanges(changes: CallerChanges): ChangeListener {
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  let retry_ms = FIRST_RETRY_MS
  let isStopped = false
  let isReported = false

  const retryLater = (error: unknown) => {
    if (isStopped) return
    if (!isReported) changes.onLost(error)
    isReported = true
    retry = setTimeout(start, retry_ms).unref()
    retry_ms = Math.min(retry_ms * 2, MAX_RETRY_MS)
  }

  async function listen(): Promise<void> {
    const connected = await changes.connect()
    client = connected
    let isLost = false
    const lose = (error: unknown) => {
      if (isLost) return
      isLost = true
      connected.end().catch(() => undefined)
      retryLater(error)
    }
    connected.on('notification', ({ payload }) => changes.onChange(payload ?? ''))
    connected.on('error', lose)
    connected.on('end', () => lose(new Error('the connection was closed')))
    try {
      await connected.query(`listen ${CHANNEL}`)
    } catch (error) {
      return lose(error)
    }
    retry_ms = FIRST_RETRY_MS
    isReported = false
    changes.onConnected()
  }

  let starting: Promise<void> = Promise.resolve()
  function start(): void {
    starting = listen().catch(retryLater)
  }

  start()
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(retry)
      await starting
      await client?.end().catch(() => undefined)
    },
  }
}
