// The built service for one run of the story: an empty data directory, a free port, its own PostgreSQL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../prepare.mjs'

export const ORG = 'demo-org'
const READY_WITHIN_MS = 60_000
const FIRST_KEY = /^ {2}(wb_user_\w+)$/

export async function startService(data_dir) {
  const port = await findFreePort()
  const child = spawn(process.execPath, [join(root, 'server', 'dist', 'main.js'), 'serve'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: String(port),
      WAYBILL_DATA_DIR: data_dir,
      WAYBILL_ORG: ORG,
      WAYBILL_RATE_LIMIT: 'off',
      WAYBILL_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
  }
  const timer = setTimeout(() => child.kill('SIGTERM'), READY_WITHIN_MS)
  const key = await readFirstKey(child.stdout)
  clearTimeout(timer)
  if (key === undefined) {
    await stop()
    throw new Error('The service ended, or took too long, before it printed its first key')
  }
  const url = `http://127.0.0.1:${port}`
  await allowLongKeys(url, key)
  return { url, key, stop }
}

/** The client expects organizations as they were before keys had a maximum lifetime, and as upgraded ones still are. */
async function allowLongKeys(url, key) {
  const answer = await fetch(`${url}/api/v2/organizations/${ORG}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ settings: { max_key_lifetime_days: null } }),
  })
  if (!answer.ok) throw new Error(`The organization keeps its maximum lifetime of keys: ${answer.status}`)
}

/** It follows the ready line at a first start; undefined when the output ends before it. */
async function readFirstKey(stdout) {
  const lines = createInterface({ input: stdout })
  for await (const line of lines) {
    const key = FIRST_KEY.exec(line)?.[1]
    if (key === undefined) continue
    stdout.resume()
    return key
  }
  return undefined
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
