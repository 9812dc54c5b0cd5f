// `npm start`: prepares the clone and runs the service in this process.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from './prepare.mjs'

const PARENT_CHECK_MS = 500

process.env.NODE_ENV ??= 'production'
prepare()
stopWithNpm()
process.argv.splice(2, 0, 'serve')
await import(pathToFileURL(join(root, 'server', 'dist', 'main.js')).href)

/** A killed npm cannot forward the signal, and a service left behind would keep the port and the data directory. */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event !== 'start') return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, PARENT_CHECK_MS).unref()
}
