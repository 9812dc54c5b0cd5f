// `npm run dev`: runs the service with its own data directory, and rebuilds and restarts it when a source file changes.
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { build, prepare, root } from './prepare.mjs'

const SETTLE_MS = 200

prepare()
const env = { NODE_ENV: 'development', WAYBILL_DATA_DIR: join(root, 'data', 'dev'), ...process.env }
let service = start()
let timer

for (const folder of ['server/src', 'server/migrations', 'packages']) {
  watch(join(root, folder), { recursive: true }, () => {
    clearTimeout(timer)
    timer = setTimeout(restart, SETTLE_MS)
  })
}

function start() {
  return spawn(process.execPath, ['--enable-source-maps', join(root, 'server', 'dist', 'main.js'), 'serve'], {
    stdio: 'inherit',
    env,
  })
}

async function restart() {
  try {
    await build()
  } catch (error) {
    console.error(String(error))
    return
  }
  const previous = service
  previous.kill('SIGTERM')
  previous.once('exit', () => {
    service = start()
  })
}
