// The server's time on this page, and the only timer behind every text that depends on it. This machine's
// clock may be wrong: each response contains the time, and the difference is kept.

const TICK_MS = 1_000
/**
 * Responses contain whole seconds and take a while: only a larger difference means that the clocks differ.
 */
const TOLERANCE_MS = 2_000

export interface ServerClock {
  readMs(): number
  /** The time in a response, in milliseconds since 1970. */
  learn(server_ms: number): void
  /** Calls back every second while the page is visible, and when it becomes visible again. */
  subscribe(onTick: () => void): () => void
}

function makeServerClock(): ServerClock {
  const listeners = new Set<() => void>()
  let ahead_ms = 0
  let timer: number | undefined
  const tick = () => {
    for (const listener of listeners) listener()
  }
  const update = () => {
    const isNeeded = listeners.size > 0 && !document.hidden
    if (isNeeded && timer === undefined) timer = window.setInterval(tick, TICK_MS)
    if (isNeeded) return
    window.clearInterval(timer)
    timer = undefined
  }
  document.addEventListener('visibilitychange', () => {
    update()
    if (!document.hidden) tick()
  })
  return {
    readMs: () => Date.now() + ahead_ms,
    learn: server_ms => {
      const difference_ms = server_ms - Date.now()
      if (Number.isNaN(difference_ms) || Math.abs(difference_ms - ahead_ms) < TOLERANCE_MS) return
      ahead_ms = difference_ms
      tick()
    },
    subscribe: onTick => {
      listeners.add(onTick)
      update()
      return () => {
        listeners.delete(onTick)
        update()
      }
    },
  }
}

export const clock = makeServerClock()

export const readServerSeconds = (): number => clock.readMs() / 1000
