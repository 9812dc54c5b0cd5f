// Starts a service, fills its log and verifies it over HTTP with Go's own packages. `npm run check -- log` runs this.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ORG, ROOT, startService } from './bench-service.ts'

/** More than two full tiles, and a partial one. */
const TRAILS = 600
const WRITERS = 16

const service = await startService({ WAYBILL_DNS_SERVER: '127.0.0.1:9' })
let status: number | null = 2
try {
  await service.put(`/flows/${ORG}`, { name: 'live', description: '' })
  let sent = 0
  const write = async () => {
    while (sent < TRAILS) await service.put(`/trails/${ORG}/live`, { name: `trail-${sent++}` })
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  const url = `http://127.0.0.1:${service.port}/api/v2/log/${ORG}`
  const answer = await fetch(`${url}/keys`, { headers: { authorization: `Bearer ${service.key}` } })
  const { keys } = (await answer.json()) as { keys: { vkey: string }[] }
  const args = ['run', '.', 'live', url, keys[0]?.vkey ?? '']
  const cwd = join(ROOT, 'packages/transparency-log/go')
  const env = { ...process.env, WAYBILL_API_KEY: service.key }
  status = spawnSync('go', args, { cwd, env, stdio: 'inherit' }).status
} finally {
  await service.stop()
}
process.exitCode = status ?? 2
