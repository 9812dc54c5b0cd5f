// Limits how many pages of this browser have a stream: over HTTP/1.1 a browser opens six connections to a
// server, and two of them stay free for requests. The browser releases a lock when its page closes or
// crashes.

const MOST_STREAMS = 4

/** Returns a function that releases the lock, or undefined if enough pages have one. */
export async function takeStreamLock(): Promise<(() => void) | undefined> {
  // Locks exist only on pages over https or from this machine. Without them, nothing is counted.
  if (!('locks' in navigator)) return () => undefined
  for (let i = 0; i < MOST_STREAMS; i++) {
    const release = await takeLock(`waybill stream ${i}`)
    if (release) return release
  }
  return undefined
}

/** The lock is held until its callback's promise resolves. */
function takeLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { ifAvailable: true }, lock => {
        if (!lock) return resolve(undefined)
        return new Promise<void>(release => resolve(release))
      })
      .catch(reject)
  })
}
