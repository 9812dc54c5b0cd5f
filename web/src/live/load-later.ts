// Loads code when it is first needed. If that fails because the server is away, it waits and tries again, so that a click
// never leads to an empty page. If the server has another version by now, the page is loaded anew.
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

/** The server is there and does not have the file, or the browser remembers that it could not be loaded. */
function reload(error: unknown): Promise<never> {
  const address = new URL(window.location.href)
  // Once is enough: a second failure is a fault of the file itself.
  if (window.history.state?.has_reloaded === true) throw error
  window.history.replaceState({ ...window.history.state, has_reloaded: true }, '', address)
  window.location.reload()
  return new Promise(() => undefined)
}
