// The parts of an application, opened from the settings. Everything that must be closed again is added to `undo`.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AppParts, TIME_LIMITS } from './app.ts'
import type { Database } from './db/database.ts'
import { startDatabaseClock } from './db/database-clock.ts'
import { type Cluster, checkAppRole } from './db/open.ts'
import { refuseOtherSecretKey, refuseOtherSecretKeyAsApp } from './db/secret-check.ts'
import { openEvidence } from './evidence/open.ts'
import { readWebApp } from './http/web-app.ts'
import { JQ_LIMITS, makeJqEngine } from './jq/engine.ts'
import { systemClock } from './lib/clock.ts'
import { makeFolderDurably, writeOnceDurably } from './lib/durable-files.ts'
import { makeIds } from './lib/ids.ts'
import { type Log, makeLog } from './lib/log.ts'
import { packageRoot } from './lib/package-root.ts'
import { makeRandomHex, systemRandom } from './lib/random.ts'
import { makeSealer } from './lib/sealer.ts'
import { systemSecrets } from './lib/secrets.ts'
import { buildEgress } from './outbound.ts'
import type { Config } from './settings/config.ts'
import { SettingProblem } from './settings/setting.ts'
import type { Telemetry } from './telemetry/start.ts'

export interface Opening {
  config: Config
  version: string
  cluster: Cluster
  log: Log
  telemetry?: Telemetry | undefined
  undo: (() => Promise<void>)[]
}

/** The log of a service, and OpenTelemetry if the settings enable it. */
export async function openLog(config: Config, version: string): Promise<Pick<Opening, 'log' | 'telemetry'>> {
  const { telemetry: settings, log_level } = config
  if (!settings) return { log: makeLog(log_level) }
  // Loaded only on demand, so that it costs nothing otherwise.
  const { startTelemetry } = await import('./telemetry/start.ts')
  const telemetry = startTelemetry({
    settings,
    version,
    instance_id: makeIds(systemClock).next(),
    egress: buildEgress(config, { version, clock: systemClock, log: undefined }),
    // Spans have the machine's time, like log lines: other services use their machines' time too.
    clock: systemClock,
    random: systemRandom,
    randomHex: makeRandomHex(),
  })
  const log = makeLog(log_level, telemetry.log_copy)
  telemetry.setOnRefused((signal, reason) =>
    log.warn({ signal, reason }, 'the OpenTelemetry collector takes nothing'),
  )
  return { log, telemetry }
}

export async function openParts(opening: Opening): Promise<AppParts> {
  const { config, version, cluster, log, telemetry, undo } = opening
  const db = cluster.connectApp(
    error => log.warn({ err: error }, 'an idle database connection was lost'),
    telemetry?.observer,
  )
  undo.push(db.close)
  // Failures are reported where the replica is read.
  const replica = cluster.connectReplica?.(() => undefined, telemetry?.observer)
  if (replica) undo.push(replica.close)
  await checkAppRole(db, config)
  const secret_key = config.secret_key ?? (await readOrCreateKey(config.data_dir))
  await checkSecretKey(cluster, db, config, secret_key)
  const clock = await startDatabaseClock(db, systemClock, log)
  undo.push(clock.stop)
  const egress = buildEgress(config, { version, clock, log })
  // This machine's clock, because it is compared with file dates.
  const evidence = await openEvidence(config, systemSecrets.createPassword, systemClock.now(), egress)
  const jq = makeJqEngine(JQ_LIMITS, systemClock)
  undo.push(jq.close)
  return {
    config,
    db,
    db_settings: cluster.app_settings,
    replica,
    connectListener: cluster.connectListener,
    evidence,
    jq,
    clock,
    file_clock: systemClock,
    findClockProblem: clock.findProblem,
    isDatabaseDiskFull: cluster.isDiskFull,
    log,
    tracer: telemetry?.tracer,
    exported: telemetry?.counts,
    version,
    base_url: config.base_url ?? buildLocalUrl(config),
    job_kinds: {},
    time_limits: TIME_LIMITS,
    web_app: readWebApp(join(packageRoot, 'dist', 'web')),
    secret_key,
  }
}

async function checkSecretKey(
  cluster: Cluster,
  db: Database,
  config: Config,
  secret_key: string,
): Promise<void> {
  const setting = config.secret_key === undefined ? nameKeyFile(config.data_dir) : 'WAYBILL_SECRET_KEY'
  const sealer = makeSealer(secret_key)
  if (!(await cluster.hasOwner())) return refuseOtherSecretKeyAsApp(db, sealer, setting)
  const owner = await cluster.connectOwner()
  try {
    await refuseOtherSecretKey(owner, sealer, setting)
  } finally {
    await owner.end()
  }
}

/** A service that listens on every address can be reached through this machine's own. */
export function buildLocalUrl({ host, port, tls }: Pick<Config, 'host' | 'port' | 'tls'>): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

export async function undoAll(undo: readonly (() => Promise<void>)[]): Promise<void> {
  for (const step of undo.toReversed()) await step()
}

/** Created once and stored with the data it protects, which cannot be read without it. */
export async function readOrCreateKey(data_dir: string): Promise<string> {
  const file = nameKeyFile(data_dir)
  if (!existsSync(file)) {
    await makeFolderDurably(data_dir)
    await writeOnceDurably(file, `${systemSecrets.createPassword()}\n`)
  }
  const key = (await readFile(file, 'utf8')).trim()
  if (key === '') throw new SettingProblem(`${file} is empty; restore it`)
  return key
}

function nameKeyFile(data_dir: string): string {
  return join(data_dir, 'secret-key')
}
