// Loads code when it is first needed. If that fails because the server is down, it waits and retries, so that
// a click never opens an empty page. If the server has another version by now, it reloads the page.
import { connection } from '../api.ts'

/** `load` is an `import()`. */
export async function loadLater<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (await connection.check()) return reload(error)
      await connection.whenUp()
    }
  }
}

/** The server is up and does not have the file, or the browser remembers that it could not load it. */
function reload(error: unknown): Promise<never> {
  const address = new URL(window.location.href)
  // Reload only once: a second failure is the file's own fault.
  if (window.history.state?.has_reloaded === true) throw error
  window.history.replaceState({ ...window.history.state, has_reloaded: true }, '', address)
  window.location.reload()
  return new Promise(() => undefined)
}
