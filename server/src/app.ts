// The composition root: settings in, a running application out. Everything with outside effects is created here and
// passed down.

import { type Egress, requireEgressAllow } from '@waybill/egress'
import type { FastifyInstance } from 'fastify'
import { makeBatches } from './api/batches.ts'
import type { Deps } from './api/operation.ts'
import { operations } from './api/operations.ts'
import { type Background, startBackground } from './background.ts'
import { type ChangeListener, listenForCallerChanges } from './db/caller-changes.ts'
import type { Database, PoolSettings } from './db/database.ts'
import type { Cluster } from './db/open.ts'
import { makeReplicaReader, REPLICA_LIMITS, type ReplicaReader } from './db/replica.ts'
import type { JobKind } from './delivery/job.ts'
import { makeCompiledPolicies } from './evaluation/compiled-policies.ts'
import { makeKeptFacts } from './evaluation/kept-facts.ts'
import type { EvidenceStore } from './evidence/evidence.ts'
import { makePendingUploads } from './evidence/pending-uploads.ts'
import { watchAndLog } from './evidence/watch-and-log.ts'
import type { WatchedEvidence } from './evidence/watched.ts'
import { findMissingWorkers } from './fleet/heartbeat.ts'
import { makeFleetMeasures } from './fleet/measure.ts'
import { type Authenticator, makeAuthenticator } from './http/authenticate.ts'
import type { Gate } from './http/dispatch.ts'
import { addDocumentation, redirectToDocumentation } from './http/documentation.ts'
import { drain } from './http/drain.ts'
import { addHealth, isFromThisMachine } from './http/health.ts'
import { makeHealthServer } from './http/health-server.ts'
import { parseJson } from './http/json-gate.ts'
import { type Metrics, makeMetrics } from './http/metrics.ts'
import { buildOpenapi } from './http/openapi.ts'
import type { SlowClients } from './http/pace.ts'
import { makeOrgLimiter, makeRateLimiters, type RateLimiters } from './http/rate-limit.ts'
import { type Checks, makeReadiness, type Readiness } from './http/readiness.ts'
import { logRequests } from './http/request-log.ts'
import { makeRoom, type Room } from './http/room.ts'
import { addScim } from './http/scim.ts'
import { addSecurityText } from './http/security-text.ts'
import { API_PREFIX, makeServer } from './http/server.ts'
import { addSignIn } from './http/sign-in.ts'
import { addWebApp, type WebApp } from './http/web-app.ts'
import type { JqEngine } from './jq/engine.ts'
import { makeCiTokens } from './keyless/ci-tokens.ts'
import { makeReportThread, type ReportThread } from './large-reports/thread.ts'
import { readBasePath } from './lib/base-path.ts'
import type { Clock } from './lib/clock.ts'
import type { ExportCounts, Signal } from './lib/export-counts.ts'
import { type Ids, makeIds } from './lib/ids.ts'
import type { Log } from './lib/log.ts'
import { makeSealer, type Sealer } from './lib/sealer.ts'
import { systemSecrets } from './lib/secrets.ts'
import type { Tracer } from './lib/tracing.ts'
import { makeWorkCounters, type WorkCounters } from './lib/work-counters.ts'
import { makeStreams, type Streams } from './live/streams.ts'
import { describeFork, listPolicyWitnesses } from './log/cosigned.ts'
import { makeLogs } from './log/logs.ts'
import { describeUnanchored } from './log/publish.ts'
import { makeMailer } from './mail/queue.ts'
import { buildEgress } from './outbound.ts'
import type { Config } from './settings/config.ts'
import { makeOidc } from './signin/oidc.ts'
import type { TimeLimits } from './time-limits.ts'

export { TIME_LIMITS, type TimeLimits } from './time-limits.ts'

export interface AppParts {
  config: Config
  db: Database
  /** The settings of the pool, for the thread that stores large reports. */
  db_settings: PoolSettings
  /** A streaming replica of the database, for operations that only read. */
  replica?: Database | undefined
  /** A connection for LISTEN. Without it, changes by other processes take effect when the auth cache expires. */
  connectListener?: Cluster['connectListener'] | undefined
  evidence: EvidenceStore
  jq: JqEngine
  /** The database's clock, except in tests and for the demo. */
  clock: Clock
  /** This machine's clock, which dates evidence files; by default the clock above. */
  file_clock?: Clock | undefined
  /** Why the time differs from the database's clock; undefined if it does not. */
  findClockProblem?: (() => string | undefined) | undefined
  isDatabaseDiskFull?: Cluster['isDiskFull']
  log: Log
  /** Present only with OpenTelemetry. */
  tracer?: Tracer | undefined
  exported?: Record<Signal, ExportCounts> | undefined
  version: string
  base_url: string
  job_kinds: Readonly<Record<string, JobKind>>
  /** The key that seals secrets at rest. */
  secret_key: string
  time_limits: TimeLimits
  web_app?: WebApp | undefined
  /** Certificate authorities for webhook receivers, instead of Node's. */
  trusted_ca?: string | undefined
}

export interface App {
  server: FastifyInstance
  /** Serves health and metrics only; undefined without a port for it. */
  health_server: FastifyInstance | undefined
  streams: Pick<Streams, 'counters'>
  room: Pick<Room, 'counters'>
  /** Makes /ready fail, while the service keeps responding. */
  startDraining(): void
  /** Stops accepting requests, and finishes those in progress and the claimed jobs. */
  stop(): Promise<void>
}

export async function makeApp(parts: AppParts): Promise<App> {
  const { config, db, jq, clock, log, version, base_url, time_limits, trusted_ca } = parts
  const evidence = watchAndLog(parts)
  const ids = makeIds(clock)
  const egress = buildEgress(config, { version, clock, log, trusted_ca, limits: time_limits.egress })
  const sealer = makeSealer(parts.secret_key)
  const state = makeState({ ...parts, evidence }, ids, sealer)
  const reader = readReplica(parts)
  const org_limiter = makeOrgLimiter(clock)
  const policy = buildSignInPolicy(config)
  const auth_settings = { ...policy, quotas: config.quotas, work: state.work }
  const authenticator = makeAuthenticator(db, clock, auth_settings, error =>
    log.warn({ err: error }, 'the last use of a key could not be stored'),
  )
  const deps: Deps = {
    db,
    reader: reader?.db,
    ids,
    ...state,
    evidence,
    jq,
    secrets: systemSecrets,
    sealer,
    mailer: makeMailer(ids, sealer),
    ciTokens: makeCiTokensFor(parts, egress),
    egressAllow: requireEgressAllow(config.egress_allow),
    readTxt: egress.readTxt,
    parseJson,
    base_url,
    ...policy,
    version,
    ...selectSettings(config),
    countRequestsUsed: org_limiter.used,
    forgetCaller: makeForget(authenticator, state.streams).forget,
  }
  const gate = { db, authenticator, limiters: state.limiters, org_limiter, clock, room: state.room }
  let background: Background | undefined
  const checkLoops = () => background?.checkLoops() ?? {}
  const { readiness, metrics } = makeHealth({ ...parts, ...state, evidence }, reader, checkLoops)
  const server = await makeServer({
    operations,
    deps,
    gate,
    logger: log,
    newRequestId: ids.next,
    client_limits: time_limits.clients,
    isDraining: readiness.isDraining,
    ...selectServerSettings(parts, state),
  })
  addHostRoot(server, parts, { readiness, metrics })
  await addIdentityRoutes(server, parts, { deps, gate, egress })
  // Started last: nothing after it can fail and leave it running.
  const listener = startListening(parts, makeForget(authenticator, state.streams))
  if (config.role !== 'serve') {
    background = await startBackground({ ...parts, evidence, ...state, ids, egress, sealer })
  }
  const health_server = makeHealthServerIfWanted(parts, readiness, metrics)
  return {
    server,
    health_server,
    streams: state.streams,
    room: state.room,
    startDraining: readiness.startDraining,
    stop: async () => {
      await state.streams.stop()
      await Promise.all([drain(server, time_limits.finish_ms), background?.stop(), listener?.stop()])
      await Promise.all([state.large_reports.close(), health_server?.close()])
    },
  }
}

function makeCiTokensFor({ config, clock, log, time_limits }: AppParts, egress: Egress): Deps['ciTokens'] {
  const { ci_issuer_ms: timeout_ms } = time_limits
  return makeCiTokens({ issuers: config.ci_issuers, egress, clock, log, parseJson, timeout_ms })
}

async function addIdentityRoutes(
  server: FastifyInstance,
  parts: AppParts,
  { deps, gate, egress }: { deps: Deps; gate: Gate; egress: Egress },
): Promise<void> {
  const { config, clock, time_limits } = parts
  await addScim(server, { deps: { ...deps, directories: config.directories }, gate })
  const oidc = makeOidc(clock, egress, time_limits.identity_provider_ms)
  await addSignIn(server, { deps, gate, oidc, ...buildSignInSettings(parts) })
}

/** Everything that is not the API: health, metrics and pages. */
function addHostRoot(
  server: FastifyInstance,
  parts: AppParts,
  { readiness, metrics }: { readiness: Readiness; metrics: Metrics },
): void {
  const { metrics_token } = parts.config
  logRequests(server, metrics)
  addHealth(server, { readiness, metrics, metrics_token, mayReadMetrics: isFromThisMachine })
  addPages(server, parts)
}

function makeHealthServerIfWanted(
  { config, log: logger, time_limits: { clients: client_limits } }: AppParts,
  readiness: Readiness,
  metrics: Metrics,
): FastifyInstance | undefined {
  if (config.metrics_port === undefined) return undefined
  const { metrics_token } = config
  return makeHealthServer({ readiness, metrics, metrics_token, logger, client_limits })
}

/** Logs the beginning and the end of a period in which the primary is read instead. */
function readReplica({ db, replica, clock, log }: AppParts): ReplicaReader | undefined {
  if (!replica) return undefined
  return makeReplicaReader({
    primary: db,
    replica,
    clock,
    limits: REPLICA_LIMITS,
    onLost: (reason, error) => log.warn({ err: error, reason }, 'reading from the primary'),
    onRecovered: () => log.info('reading from the replica again'),
  })
}

function buildSignInSettings({ config, log }: AppParts) {
  return {
    providers: config.oidc_providers,
    mail_delivery: config.smtp_url === undefined ? 'file' : 'smtp',
    onRefused: (provider: string, reason: string) => log.warn({ provider, reason }, 'a sign-in was refused'),
  } as const
}

function makeHealth(
  {
    config,
    db,
    clock,
    findClockProblem,
    isDatabaseDiskFull,
    evidence,
    time_limits: { ready: limits },
    logs,
    streams,
    room,
    ended_clients,
    work,
    exported,
  }: AppParts &
    Pick<State, 'logs' | 'streams' | 'room' | 'ended_clients' | 'work'> & { evidence: WatchedEvidence },
  reader: ReplicaReader | undefined,
  checkLoops: () => Checks,
): { readiness: Readiness; metrics: Metrics } {
  const readiness = makeReadiness({
    db,
    isDatabaseDiskFull,
    evidence,
    clock,
    limits,
    checkLoops,
    // For a process that does the work itself, its own loops are checked instead.
    findMissingWorkers: async () => (config.role === 'serve' ? findMissingWorkers(db) : undefined),
    findReplicaProblem: () => reader?.getProblem(),
    findClockProblem: () => findClockProblem?.(),
    findLogProblem: logs.findProblem,
    findFork: () => describeFork(db, config.log_policy),
    findUnanchored: () => describeUnanchored(db),
  })
  const { log_policy, audit_sinks } = config
  const witnesses = listPolicyWitnesses(log_policy)
  const measureFleet = makeFleetMeasures({ db, evidence, clock, witnesses, audit_sinks, ...limits })
  const { check } = readiness
  const metrics = makeMetrics({
    db,
    reader,
    logs,
    streams,
    room,
    ended_clients,
    work,
    witnesses,
    exported,
    measureFleet,
    check,
  })
  return { readiness, metrics }
}

/** Looks a changed caller up again, and ends streams whose reader has lost access. */
function makeForget(
  { forget, forgetAll }: Authenticator,
  { recheck, recheckAll }: Streams,
): Pick<Authenticator, 'forget' | 'forgetAll'> {
  return {
    forget: id => {
      forget(id)
      recheck(id)
    },
    forgetAll: () => {
      forgetAll()
      recheckAll()
    },
  }
}

/** Forgets callers that another process, the admin program or SQL by hand has changed. */
function startListening(
  { config, connectListener: connect, log }: AppParts,
  { forget, forgetAll }: Pick<Authenticator, 'forget' | 'forgetAll'>,
): ChangeListener | undefined {
  if (!connect || config.role === 'work') return undefined
  return listenForCallerChanges({
    connect,
    onChange: forget,
    onConnected: forgetAll,
    onLost: error =>
      log.warn({ err: error }, 'not notified of revoked credentials; they expire from the cache'),
  })
}

const selectServerSettings = ({ config, tracer }: AppParts, { ended_clients: ended }: State) => ({
  trusted_proxies: config.trusted_proxies,
  tls_files: config.tls,
  pace: { bytes_per_s: config.min_bytes_per_s, ended },
  tracer,
})

/** The settings that operations read. */
const selectSettings = ({ region, org_creation, org_limit, log_policy }: Config) => ({
  region,
  org_creation,
  org_limit,
  log_policy,
})

/** The in-memory state of a running application. */
function makeState(parts: AppParts, ids: Ids, sealer: Sealer): State {
  const { config, db, db_settings, base_url, clock, evidence, log, time_limits } = parts
  const { large_report_wait_ms: wait_ms } = time_limits
  const work = makeWorkCounters()
  return {
    work,
    limiters: makeRateLimiters(config.rate_limits),
    room: makeRoom({ ...config.unread, wait_ms: time_limits.clients.room_wait_ms }),
    ended_clients: { reader: 0, sender: 0 },
    batches: makeBatches(db, ids, work, parts.tracer),
    compiled_policies: makeCompiledPolicies(),
    kept_facts: makeKeptFacts(),
    pending_uploads: makePendingUploads(),
    logs: makeLogs({ db, evidence, sealer, clock, ids, log }),
    streams: makeStreams({ db, clock, log, times: time_limits.streams }),
    large_reports: makeReportThread({ database: db_settings, db, base_url, clock, wait_ms }),
  }
}

interface State
  extends Pick<
    Deps,
    'batches' | 'compiled_policies' | 'kept_facts' | 'logs' | 'pending_uploads' | 'streams'
  > {
  large_reports: ReportThread
  limiters: RateLimiters
  room: Room
  ended_clients: SlowClients
  work: WorkCounters
}

function addPages(server: FastifyInstance, { config, clock, version, base_url, web_app }: AppParts): void {
  const base_path = readBasePath(base_url)
  const server_urls = [base_path + API_PREFIX, base_url + API_PREFIX]
  const buildDocument = () => buildOpenapi(operations, { version, server_urls })
  addDocumentation(server, API_PREFIX, buildDocument)
  addSecurityText(server, { base_url, contacts: config.security_contacts, clock })
  if (web_app) addWebApp(server, web_app, { base_path, newNonce: systemSecrets.createPassword })
  else redirectToDocumentation(server, API_PREFIX)
}

function buildSignInPolicy(config: Config): Pick<Deps, 'sso' | 'session_limits'> {
  const { oidc_providers, vouching_domains, sso_required: required, break_glass, session_limits } = config
  const mail_domains = oidc_providers.flatMap(provider => provider.mail_domains)
  const has_provider = oidc_providers.length > 0
  return { sso: { has_provider, required, mail_domains, vouching_domains, break_glass }, session_limits }
}
