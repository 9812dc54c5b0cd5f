// Waits of the code that follows changes.

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
