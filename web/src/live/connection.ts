// Tracks whether the server can be reached. While it cannot, queries wait instead of failing, so that a page
// keeps its content; it polls until there is a response, and then everything continues by itself.
import { onlineManager } from '@tanstack/react-query'

const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 5_000

interface ConnectionState {
  status: 'up' | 'away' | 'offline'
  /** By the server's clock; null while the server is up. */
  since_ms: number | null
}

export interface Connection {
  read(): ConnectionState
  subscribe(listener: () => void): () => void
  /** A request got no response. */
  reportFailure(): void
  /** A request got a response that may not come from the server. */
  suspect(): void
  /** Checks now, and resolves with whether the server responds. */
  check(): Promise<boolean>
  /** Resolves immediately if the server is up. */
  whenUp(): Promise<void>
}

/** `probe` resolves with whether the server responds. */
export function makeConnection(probe: () => Promise<boolean>, readMs: () => number): Connection {
  let state: ConnectionState = { status: 'up', since_ms: null }
  let isProbing = false
  const listeners = new Set<() => void>()
  const set = (status: ConnectionState['status']) => {
    if (status === state.status) return
    state = { status, since_ms: status === 'up' ? null : (state.since_ms ?? readMs()) }
    onlineManager.setOnline(status === 'up')
    for (const listener of listeners) listener()
  }
  async function retry(): Promise<void> {
    if (isProbing) return
    isProbing = true
    let wait_ms = FIRST_RETRY_MS
    while (state.status === 'away' && !(await probe())) {
      await pause(wait_ms)
      wait_ms = Math.min(wait_ms * 2, MAX_RETRY_MS)
    }
    isProbing = false
    if (state.status === 'away') set('up')
  }
  const goAway = () => {
    set(navigator.onLine ? 'away' : 'offline')
    void retry()
  }
  window.addEventListener('offline', () => set('offline'))
  // The network is back; the server may still be down.
  window.addEventListener('online', () => {
    set('away')
    void retry()
  })
  // The browser's own guess would resume queries before the server responds.
  onlineManager.setEventListener(() => () => undefined)
  return {
    read: () => state,
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    reportFailure: goAway,
    suspect: () => {
      if (state.status === 'up') void probe().then(answers => answers || goAway())
    },
    check: async () => {
      const answers = await probe()
      if (!answers) goAway()
      return answers
    },
    whenUp: () =>
      new Promise(resolve => {
        if (state.status === 'up') return resolve()
        const listener = () => {
          if (state.status !== 'up') return
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
      }),
  }
}

/** Ends early when somebody looks at the page again. */
function pause(ms: number): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      document.removeEventListener('visibilitychange', end)
      window.clearTimeout(timer)
      resolve()
    }
    const timer = window.setTimeout(end, ms)
    document.addEventListener('visibilitychange', end)
  })
}
