// One run at a time for each key. Callers that arrive during a run share the next one, which sees everything that
// happened before they called.

export function takeTurns<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  const waiting = new Map<string, Promise<T>>()
  const start = (key: string): Promise<T> => {
    const run = work(key).finally(() => {
      if (running.get(key) === run) running.delete(key)
    })
    running.set(key, run)
    return run
  }
  return key => {
    const current = running.get(key)
    if (!current) return start(key)
    const next =
      waiting.get(key) ??
      current
        .catch(() => undefined)
        .then(() => {
          waiting.delete(key)
          return start(key)
        })
    waiting.set(key, next)
    return next
  }
}
