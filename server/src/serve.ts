// `waybill serve`: from settings to a service that answers, and from a signal to a clean end.

import { type FirstRun, setUpFirstRun } from './admin/first-run.ts'
import { makeApp } from './app.ts'
import type { Config } from './config.ts'
import { type Cluster, migrateCluster, refusePowerfulRole, startCluster } from './db/open.ts'
import { asOwner } from './db/owner.ts'
import { systemClock } from './lib/clock.ts'
import { makeIds } from './lib/ids.ts'
import { makeLog } from './lib/log.ts'
import { systemSecrets } from './lib/secrets.ts'

const STOP_WITHIN_MS = 28_000

export interface Service {
  /** Resolves when the service has ended, with the exit code. */
  ended: Promise<number>
}

export async function serve(
  config: Config,
  version: string,
  print: (text: string) => void,
): Promise<Service> {
  const log = makeLog(config.log_level)
  const cluster = await startCluster({
    database_url: config.database_url,
    data_dir: config.data_dir,
    newPassword: systemSecrets.newPassword,
    log: line => log.warn(line),
  })
  // Undone in reverse order, whether the service ends by a signal or never came up.
  const undo: (() => Promise<void>)[] = [cluster.stop]
  const stop = async () => {
    for (const step of undo.reverse()) await step()
  }
  try {
    await migrateCluster(cluster)
    const first = await firstRun(cluster, config)
    const db = cluster.connectApp(error => log.warn({ err: error }, 'an idle database connection was lost'))
    undo.push(db.close)
    if (config.production) await refusePowerfulRole(db)
    const base_url = config.base_url ?? addressOf(config)
    const app = await makeApp({ config, db, clock: systemClock, log, version, base_url, job_handlers: {} })
    undo.push(app.stop)
    if (config.role !== 'work') await app.server.listen({ port: config.port, host: config.host })
    announce(config, first, print)
    return { ended: untilSignal(stop, log) }
  } catch (error) {
    await stop()
    throw error
  }
}

async function firstRun(cluster: Cluster, config: Config): Promise<FirstRun | undefined> {
  const owner = await cluster.connectOwner()
  const parts = { ids: makeIds(systemClock), secrets: systemSecrets, now: systemClock.now(), changes: [] }
  try {
    return await asOwner(owner, tx => setUpFirstRun({ tx, ...parts }, config.first_org))
  } finally {
    await owner.end()
  }
}

function announce(config: Config, first: FirstRun | undefined, print: (text: string) => void): void {
  const address = addressOf(config)
  print(config.role === 'work' ? 'Waybill is ready: working the outbox' : `Waybill is ready: ${address}`)
  if (!first) return
  print(
    [
      '',
      `First start: made the user ${first.user} and the organizations ${first.user} and ${first.org}.`,
      'This API key is shown once and stored nowhere in the clear:',
      '',
      `  ${first.key}`,
      '',
      'Try it:',
      '',
      `  curl -H "Authorization: Bearer ${first.key}" ${address}/api/v2/flows/${first.org}`,
      '',
      `Read the API: ${address}/api/v2/doc/`,
    ].join('\n'),
  )
}

/** An address that listens everywhere is reached as this machine. */
function addressOf({ host, port }: Config): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function untilSignal(stop: () => Promise<void>, log: ReturnType<typeof makeLog>): Promise<number> {
  return new Promise(resolve => {
    let stopping = false
    const end = (code: number, reason: string) => {
      if (stopping) return
      stopping = true
      log.info({ reason }, 'stopping')
      setTimeout(() => resolve(1), STOP_WITHIN_MS).unref()
      stop().then(
        () => resolve(code),
        error => {
          log.error({ err: error }, 'could not stop cleanly')
          resolve(1)
        },
      )
    }
    process.on('SIGTERM', () => end(0, 'SIGTERM'))
    process.on('SIGINT', () => end(0, 'SIGINT'))
    process.on('unhandledRejection', error => log.error({ err: error }, 'a rejection nobody handled'))
    process.on('uncaughtException', error => {
      log.fatal({ err: error }, 'an exception nobody caught')
      end(1, 'uncaughtException')
    })
  })
}
