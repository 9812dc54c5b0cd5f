// The memory of a reporter that watches a cluster of 1,000 pods: after the list, and after every pod has changed
// twice. The cluster and the service are fakes in this process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeScratch, ROOT, stopProcess } from './bench-service.ts'
import { print, printNote, printTitle } from './report.ts'

const PODS = 1_000
const ROUNDS = 2
const REST_MS = 10_000
/** The API server's description of an ordinary pod besides its status: environment, volumes, managed fields. */
const PADDING = 'x'.repeat(6_000)

const counts = { reports: 0, last_length: 0 }
const watchers = new Set<ServerResponse>()
const service = await serve(answerAsService)
const cluster = await serve(answerAsCluster)
const folder = await makeScratch()
await writeFile(join(folder, 'kubeconfig'), buildKubeconfig(cluster.url))
const child = spawn(
  process.execPath,
  [join(ROOT, 'cli', 'dist', 'main.js'), 'watch', 'k8s', 'production', '--kubeconfig', 'kubeconfig'],
  {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      WAYBILL_HOST: service.url,
      WAYBILL_ORG: 'acme',
      WAYBILL_API_TOKEN: 'key',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  },
)
try {
  await waitFor(() => counts.reports > 0)
  await sleep(REST_MS)
  const listed_mb = readMemory('VmRSS')
  for (let round = 1; round <= ROUNDS; round++) {
    const before = counts.reports
    for (let pod = 0; pod < PODS; pod++) tell(makePod(pod, round))
    await waitFor(() => counts.reports > before)
  }
  await sleep(REST_MS)
  printTitle(`Memory of a reporter that watches ${PODS} pods`)
  print({ name: 'after the list', value: listed_mb, unit: 'MB', aim: { at_most: 100 } })
  print({
    name: 'after every pod changed twice',
    value: readMemory('VmRSS'),
    unit: 'MB',
    aim: { at_most: 100 },
  })
  print({ name: 'at its highest', value: readMemory('VmHWM'), unit: 'MB' })
  printNote(`${counts.reports} reports of ${Math.round(counts.last_length / 1000)} kB`)
} finally {
  await stopProcess(child)
  await Promise.all([service.stop(), cluster.stop()])
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answerAsService(...[request, response]: Parameters<RequestListener>): void {
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  request.on('end', () => {
    if (request.method === 'PUT') {
      counts.reports++
      counts.last_length = length
    }
    response.setHeader('content-type', 'application/json')
    response.end(request.method === 'PUT' ? '"OK"' : '{"expected_report_interval":null}')
  })
}

function answerAsCluster(...[request, response]: Parameters<RequestListener>): void {
  const { searchParams } = new URL(request.url ?? '/', 'http://cluster')
  response.setHeader('content-type', 'application/json')
  if (searchParams.get('watch') === 'true') {
    response.flushHeaders()
    watchers.add(response)
    return
  }
  const from = Number(searchParams.get('continue') ?? 0)
  const to = Math.min(from + Number(searchParams.get('limit')), PODS)
  const items = Array.from({ length: to - from }, (_, index) => makePod(from + index, 0))
  const metadata = { resourceVersion: '1', continue: to < PODS ? String(to) : '' }
  response.end(JSON.stringify({ metadata, items }))
}

function tell(pod: object): void {
  for (const response of watchers) response.write(`${JSON.stringify({ type: 'MODIFIED', object: pod })}\n`)
}

function makePod(index: number, round: number): object {
  const digest = (index * (ROUNDS + 1) + round).toString(16).padStart(64, '0')
  const image = `registry.example.com/team-${index % 40}/service-${index}`
  const makeStatus = (name: string) => ({
    name,
    image: `${image}-${name}:1.${round}`,
    imageID: `${image}-${name}@sha256:${digest}`,
    state: { running: { startedAt: '2026-01-02T03:04:05Z' } },
  })
  return {
    metadata: {
      name: `service-${index}-7d4f9c8b6-x2x${index}`,
      namespace: `team-${index % 40}`,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      creationTimestamp: '2026-01-02T03:04:00Z',
      resourceVersion: String(round * PODS + index),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `service-${index}`, uid: '1' }],
    },
    spec: { padding: PADDING },
    status: {
      phase: 'Running',
      containerStatuses: [makeStatus('main'), makeStatus('proxy')],
      initContainerStatuses: [makeStatus('init')],
    },
  }
}

function buildKubeconfig(server: string): string {
  return JSON.stringify({
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'token' } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
  })
}

async function waitFor(isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    if (child.exitCode !== null) throw new Error(`The reporter ended with ${child.exitCode}`)
    await sleep(200)
  }
}

/** From Linux: other systems do not report the peak. */
function readMemory(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6
}
