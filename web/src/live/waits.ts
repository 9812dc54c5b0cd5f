// Waits for the code that follows changes.

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => {
    window.setTimeout(resolve, ms)
  })
}

/** Resolves at once if the page is visible. */
export function whenVisible(): Promise<void> {
  return new Promise(resolve => {
    if (!document.hidden) return resolve()
    const listener = () => {
      if (document.hidden) return
      document.removeEventListener('visibilitychange', listener)
      resolve()
    }
    document.addEventListener('visibilitychange', listener)
  })
}

/** Calls back when the page has been hidden for this long. Returns how to stop watching. */
export function watchHidden(ms: number, onHidden: () => void): () => void {
  let timer: number | undefined
  const update = () => {
    window.clearTimeout(timer)
    if (document.hidden) timer = window.setTimeout(onHidden, ms)
  }
  update()
  document.addEventListener('visibilitychange', update)
  return () => {
    window.clearTimeout(timer)
    document.removeEventListener('visibilitychange', update)
  }
}

/**
 * Returns a function that restarts the timeout: the attempt ends when nothing has arrived for this many
 * milliseconds.
 */
export function makeWatch(attempt: AbortController): (ms: number | undefined) => void {
  let timer: number | undefined
  return ms => {
    window.clearTimeout(timer)
    if (ms !== undefined) timer = window.setTimeout(() => attempt.abort(), ms)
  }
}
