// The Compose Caddyfile, in a real Caddy in front of a real service: at the root of a host and under a path.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from '../../run/prepare.mjs'
import { findFreePort, ORG, startService } from '../../run/service.mjs'
import { getProgram } from './tools.mjs'

const READY_ATTEMPTS = 60
const LARGE = 300_000

export async function checkProxy() {
  const caddy = getProgram('caddy')
  for (const path of ['', '/waybill']) await checkUnder(caddy, path)
}

async function checkUnder(caddy, path) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-proxy-'))
  const site = `http://127.0.0.1:${await findFreePort()}`
  const service = await startService(join(folder, 'data'), {
    WAYBILL_BASE_URL: site + path,
    WAYBILL_TRUSTED_PROXIES: '127.0.0.1',
  })
  const proxy = spawn(
    caddy,
    ['run', '--adapter', 'caddyfile', '--config', join(root, 'deploy/compose/Caddyfile')],
    {
      env: {
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
        WAYBILL_SITE: site,
        WAYBILL_UPSTREAM: service.url.replace('http://', ''),
      },
      stdio: 'ignore',
    },
  )
  const closed = once(proxy, 'close')
  try {
    await untilReady(site)
    await checkRequests(site, path, service.key)
    await checkStream(site + path, service.key)
  } finally {
    proxy.kill('SIGTERM')
    await closed
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function untilReady(site) {
  for (let attempt = 0; attempt < READY_ATTEMPTS; attempt++) {
    const answer = await fetch(`${site}/ready`).catch(() => undefined)
    if (answer?.status === 200) return
    await wait(500)
  }
  throw new Error('Caddy did not answer')
}

async function checkRequests(site, path, key) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const page = await fetch(`${site}${path}/sign-in`)
  expect(
    path,
    'the sign-in page has links below the path',
    (await page.text()).includes(`action="${path}/auth/link"`),
  )
  expect(path, 'metrics are not public', (await fetch(`${site}/metrics`)).status === 404)
  const body = JSON.stringify({ name: 'proxied', description: 'x'.repeat(1000) })
  const made = await fetch(`${site}${path}/api/v2/flows/${ORG}`, { method: 'PUT', headers, body })
  expect(path, 'a flow is created', made.status === 201)
  const environment = JSON.stringify({ name: 'prod', type: 'server', description: '' })
  await fetch(`${site}${path}/api/v2/environments/${ORG}`, { method: 'PUT', headers, body: environment })
  const large = JSON.stringify({ type: 'server', artifacts: [], ignored: 'x'.repeat(LARGE) })
  const refused = await fetch(`${site}${path}/api/v2/environments/${ORG}/prod/report/server`, {
    method: 'PUT',
    headers,
    body: large,
  })
  expect(path, 'a large report reaches the service, which judges it', refused.status === 400)
}

/** The first event arrives while the response continues. */
async function checkStream(url, key) {
  const stopped = new AbortController()
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
  const answer = await fetch(`${url}/api/v2/events/${ORG}/stream`, { headers, signal: stopped.signal })
  const reader = answer.body.getReader()
  const first = await reader.read()
  expect(url, 'a stream passes at once', answer.status === 200 && !first.done)
  stopped.abort()
}

function expect(path, title, isTrue) {
  // Thrown, so that everything that was started is stopped.
  if (!isTrue) throw new Error(`FAILED  at ${path || '/'}: ${title}`)
  console.log(`ok  Caddy in front of the service, at ${path || '/'}: ${title}`)
}
