// `npm start`: makes the clone ready and runs the service in this very process.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from './prepare.mjs'

const PARENT_CHECK_MS = 500

process.env.NODE_ENV ??= 'production'
prepare()
stopWithNpm()
process.argv.splice(2, 0, 'serve')
await import(pathToFileURL(join(root, 'server', 'dist', 'main.js')).href)

/** When npm is killed outright it cannot pass the signal on; a service left behind would hold port and data. */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event !== 'start') return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, PARENT_CHECK_MS).unref()
}
