// `waybill serve`: from settings to a running service, and from a signal to a clean shutdown.
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FirstRun, setUpFirstRun } from './admin/first-run.ts'
import { type App, makeApp } from './app.ts'
import { type Cluster, explainDatabaseFault, migrateCluster, startCluster } from './db/open.ts'
import { withOwnerTransaction } from './db/owner.ts'
import { showDemo } from './demo/show.ts'
import type { Clock } from './lib/clock.ts'
import { makeIds } from './lib/ids.ts'
import type { Log } from './lib/log.ts'
import { systemSecrets } from './lib/secrets.ts'
import { setLogHost } from './log/host-store.ts'
import { buildLocalUrl, type Opening, openLog, openParts, undoAll } from './parts.ts'
import type { Config } from './settings/config.ts'
import { buildLinkUrl } from './signin/links.ts'

const STOP_WITHIN_MS = 28_000

export interface Start {
  print: (text: string) => void
  /** Fills an organization with demo data, once. */
  with_demo: boolean
}

/** Resolves with the exit code when the service has stopped; rejects if it never started. */
export async function serve(config: Config, version: string, { print, with_demo }: Start): Promise<number> {
  const { log, telemetry } = await openLog(config, version)
  // Cleanup steps, run once in reverse order, whether the service is stopped by a signal or failed to start.
  const undo: (() => Promise<void>)[] = telemetry ? [telemetry.stop] : []
  let undone: Promise<void> | undefined
  const stop = () => {
    undone ??= undoAll(undo)
    return undone
  }
  const started = startService(await choosePorts(config), version, { log, telemetry, print, with_demo, undo })
  // Registered first: a signal during startup must not leave a PostgreSQL behind.
  const exitCode = waitForSignal(
    async hurried => {
      const app = await started.catch(() => undefined)
      if (app && config.drain_ms > 0) await drain(app, config.drain_ms, hurried, log)
      await stop()
    },
    config.drain_ms,
    log,
  )
  try {
    await Promise.race([started, exitCode])
  } catch (error) {
    await stop()
    throw error
  }
  return exitCode
}

interface StartOptions extends Start, Pick<Opening, 'log' | 'telemetry' | 'undo'> {}

async function startService(config: Config, version: string, options: StartOptions): Promise<App> {
  const { log, undo } = options
  const cluster = await startCluster({
    ...config,
    createPassword: systemSecrets.createPassword,
    log: line => log.warn(line),
  })
  undo.push(cluster.stop)
  try {
    return await startApp(cluster, config, version, options)
  } catch (error) {
    throw await explainDatabaseFault(error, cluster)
  }
}

async function startApp(
  cluster: Cluster,
  config: Config,
  version: string,
  { log, telemetry, print, with_demo, undo }: StartOptions,
): Promise<App> {
  await migrateCluster(cluster)
  const parts = await openParts({ config, version, cluster, log, telemetry, undo })
  const app = await makeApp(parts)
  undo.push(app.stop)
  const { host, port, metrics_port } = config
  if (config.role !== 'work')
    await app.server.listen({ port, host, listenTextResolver: describeListening(config) })
  if (metrics_port !== undefined) await app.health_server?.listen({ port: metrics_port, host })
  // Comes last, when nothing can fail any more: the key it creates is shown once, and a failed start shows nothing.
  const first = await runFirstRun(cluster, config, parts.clock)
  if (with_demo) await showDemo(cluster, parts, print)
  announce(config, first, print)
  return app
}

/** Load balancers see /ready fail and send nothing new, while everything still gets a response. */
async function drain(app: App, drain_ms: number, hurried: AbortSignal, log: Log): Promise<void> {
  app.startDraining()
  log.info({ drain_ms }, 'draining: /ready fails, requests are still answered')
  // A second signal ends the wait.
  await sleep(drain_ms, undefined, { signal: hurried }).catch(() => undefined)
}

/** Without the schema owner, the admin program creates the first user. */
async function runFirstRun(cluster: Cluster, config: Config, clock: Clock): Promise<FirstRun | undefined> {
  if (!(await cluster.hasOwner())) return undefined
  const owner = await cluster.connectOwner()
  const parts = { ids: makeIds(clock), secrets: systemSecrets, now: clock.now(), changes: [] }
  try {
    return await withOwnerTransaction(owner, async tx => {
      await setLogHost(tx, config.base_url ?? buildLocalUrl(config))
      return setUpFirstRun({ tx, ...parts }, config.first_org)
    })
  } finally {
    await owner.end()
  }
}

function announce(config: Config, first: FirstRun | undefined, print: (text: string) => void): void {
  const address = buildLocalUrl(config)
  const ready = `Waybill is ready: ${describeRole(config)}`
  if (!first) {
    print(ready)
    return
  }
  // Printed at once: a program that waits for the first line gets the key with it.
  print(
    [
      ready,
      '',
      `First start: created the user ${first.user} and the organizations ${first.user} and ${first.org}.`,
      'This API key is shown only once and is never stored in plain text:',
      '',
      `  ${first.key}`,
      '',
      'Try it:',
      '',
      `  curl -H "Authorization: Bearer ${first.key}" ${address}/api/v2/flows/${first.org}`,
      '',
      `Read the API: ${address}/api/v2/doc/`,
      // Works once, within a day.
      `Sign in: ${buildLinkUrl(config.base_url ?? address, first.link_token)}`,
    ].join('\n'),
  )
}

function describeRole(config: Config): string {
  const { role, metrics_port } = config
  if (role !== 'work') return buildLocalUrl(config)
  if (metrics_port === undefined) return 'working the outbox'
  return `working the outbox, health and metrics at ${buildLocalUrl({ host: config.host, port: metrics_port, tls: undefined })}`
}

/** Fastify does not know that a server it was given speaks TLS. */
function describeListening({ tls }: Config): (address: string) => string {
  return address => `Server listening at ${tls ? address.replace(/^http:/, 'https:') : address}`
}

/** Chosen before anything is built, because links contain the port. */
async function choosePorts(config: Config): Promise<Config> {
  const { port, metrics_port, host } = config
  return {
    ...config,
    port: await choosePort(port, host),
    metrics_port: metrics_port === undefined ? undefined : await choosePort(metrics_port, host),
  }
}

/** Port 0 means any free one. */
function choosePort(port: number, host: string): Promise<number> {
  if (port !== 0) return Promise.resolve(port)
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function waitForSignal(
  stop: (hurried: AbortSignal) => Promise<void>,
  drain_ms: number,
  log: Log,
): Promise<number> {
  return new Promise(resolve => {
    const hurry = new AbortController()
    // A worker has no port, and its other timers do not count: without database connections, Node would end the
    // process.
    setInterval(() => undefined, STOP_WITHIN_MS)
    let stopping = false
    const end = (code: number, reason: string) => {
      if (stopping || code !== 0) hurry.abort()
      if (stopping) return
      stopping = true
      log.info({ reason }, 'stopping')
      setTimeout(() => resolve(1), drain_ms + STOP_WITHIN_MS).unref()
      stop(hurry.signal).then(
        () => resolve(code),
        error => {
          log.error({ err: error }, 'could not stop cleanly')
          resolve(1)
        },
      )
    }
    process.on('SIGTERM', () => end(0, 'SIGTERM'))
    process.on('SIGINT', () => end(0, 'SIGINT'))
    process.on('unhandledRejection', error => log.error({ err: error }, 'unhandled rejection'))
    process.on('uncaughtException', error => {
      log.fatal({ err: error }, 'uncaught exception')
      end(1, 'uncaughtException')
    })
  })
}
