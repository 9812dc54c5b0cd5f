// Starts the built service for one run: with an empty data directory, a free port and its own PostgreSQL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from './prepare.mjs'

export const ORG = 'demo-org'
const READY_TIMEOUT_MS = 60_000
const FIRST_KEY = /^ {2}(wb_user_\w+)$/

/** `settings`: additional settings. */
export async function startService(data_dir, settings = {}) {
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
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
  }
  const timer = setTimeout(() => child.kill('SIGTERM'), READY_TIMEOUT_MS)
  const key = await readFirstKey(child.stdout)
  clearTimeout(timer)
  if (key === undefined) {
    await stop()
    throw new Error('The service exited or timed out before it printed its first key')
  }
  const url = `http://127.0.0.1:${port}`
  const service = { url, key, stop }
  // The client expects none, as in organizations created before that limit existed.
  await setLongestLifetime(service, null)
  return service
}

/** Limits the lifetime of new keys in the organization; null for no limit. */
export async function setLongestLifetime({ url, key }, max_key_lifetime_days) {
  const response = await fetch(`${url}/api/v2/organizations/${ORG}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ settings: { max_key_lifetime_days } }),
  })
  if (!response.ok) throw new Error(`Could not set the longest lifetime of keys: ${response.status}`)
}

/** A first start prints the key after the ready line. Returns undefined if the output ends before that. */
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

export async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
