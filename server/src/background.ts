// Background work: the outbox worker, the evaluation loop, their heartbeat, the scan for expiring keys, the months of the
// event log, the statistics of tables that grow, the checkpoints of logs and their anchors, the import of events from before the log, the
// audit sinks, and the sweeps.

import type { Egress } from '@waybill/egress'
import { saveInvitationMail } from './api/invitations/store.ts'
import { startRecheckingDomains } from './api/mail-domains/recheck.ts'
import { type Following, startFollowing } from './audit-sinks/follow.ts'
import type { Database } from './db/database.ts'
import { startAnalyzing } from './db/table-statistics.ts'
import type { JobKind } from './delivery/job.ts'
import { DELIVERY_JOB } from './delivery/outbox.ts'
import { startSweeping } from './delivery/sweep-evidence.ts'
import { startSweepingOutbox } from './delivery/sweep-outbox.ts'
import { POLL_MS, startWorker } from './delivery/worker.ts'
import type { CompiledPolicies } from './evaluation/compiled-policies.ts'
import { startEvaluationLoop } from './evaluation/loop.ts'
import { startPreparingMonths } from './events/prepare-months.ts'
import type { EvidenceStore } from './evidence/evidence.ts'
import { startHeartbeat } from './fleet/heartbeat.ts'
import { parseJson } from './http/json-gate.ts'
import type { Clock } from './lib/clock.ts'
import type { Ids } from './lib/ids.ts'
import type { Log } from './lib/log.ts'
import { systemRandom } from './lib/random.ts'
import type { Sealer } from './lib/sealer.ts'
import type { Tracer } from './lib/tracing.ts'
import type { WorkCounters } from './lib/work-counters.ts'
import { startComparing } from './log/compare-anchors.ts'
import { startImportingHistory } from './log/history.ts'
import type { Logs } from './log/logs.ts'
import { startPublishing } from './log/publish.ts'
import { startWitnessing, type Witnessing } from './log/witnessing.ts'
import { makeMailJob } from './mail/job.ts'
import { MAIL_JOB, makeMailer } from './mail/queue.ts'
import { makeSendMail } from './mail/send.ts'
import { startSendingDigests } from './mail/send-digests.ts'
import { makeSendLimited } from './mail/send-limited.ts'
import { makeDelivery } from './notifications/deliver.ts'
import { startExpiryScans } from './notifications/key-expiry.ts'
import type { Config } from './settings/config.ts'

export interface BackgroundParts {
  config: Config
  db: Database
  evidence: EvidenceStore
  clock: Clock
  file_clock?: Clock | undefined
  log: Log
  tracer?: Tracer | undefined
  work: WorkCounters
  base_url: string
  version: string
  job_kinds: Readonly<Record<string, JobKind>>
  ids: Ids
  compiled_policies: CompiledPolicies
  logs: Logs
  egress: Egress
  sealer: Sealer
  /** How long a witness may take to respond, and an audit sink to accept a batch. */
  time_limits: { witness_ms: number; audit_sink_ms: number }
}

export interface Background {
  /** The loops that have stalled, with the reason. */
  checkLoops(): Record<'outbox' | 'evaluation', string | undefined>
  /** Finishes work in progress. */
  stop(): Promise<void>
}

/** Resolves when other processes can see this worker. */
export async function startBackground(parts: BackgroundParts): Promise<Background> {
  const { config, db, evidence, clock, log, tracer, work, ids, compiled_policies, egress, sealer } = parts
  const { base_url } = parts
  const sendMail = makeSendMail({ ...config, egress, log, clock })
  const sendLimited = makeSendLimited({ ...config, db, clock, sealer, base_url, sendMail })
  const kinds = {
    [MAIL_JOB]: makeMailJob({
      sendLimited,
      sealer,
      parseJson,
      saveInvitationMail: (...mail) => saveInvitationMail(db, ...mail),
    }),
    [DELIVERY_JOB]: makeDelivery({ db, egress, sendLimited, sealer, base_url, clock, ids }),
    ...parts.job_kinds,
  }
  const { retry_schedule_s } = config
  const worker = startWorker({
    db,
    clock,
    log,
    work,
    kinds,
    retry_schedule_s,
    random: systemRandom,
    poll_ms: POLL_MS,
    tracer,
  })
  const evaluator = startEvaluationLoop({ db, ids, compiled_policies, clock, log, work, tracer })
  const scans = startExpiryScans({ db, ids, clock, log }, config.key_expiry_scan_s)
  const months = startPreparingMonths({ db, log })
  const statistics = startAnalyzing({ db, log })
  const checkpoints = startPublishing({ db, evidence, logs: parts.logs, clock, log })
  const anchors = startComparing({ db, evidence, logs: parts.logs, log })
  const history = startImportingHistory({ db, ids, clock, log })
  const witnesses = startWitnessingIfWanted(parts)
  const sinks = startFollowingIfWanted(parts)
  const sweeps = [
    startSweeping({ db, evidence, clock: parts.file_clock ?? clock, log }),
    startSweepingOutbox({ db, clock, log }),
    startSendingDigests({ db, clock, log, sealer, mailer: makeMailer(ids, sealer), parseJson }),
    startRecheckingDomains({ db, ids, clock, log, readTxt: egress.readTxt }),
  ]
  const isWorking = () => worker.isHealthy() && evaluator.isHealthy()
  const heartbeat = await startHeartbeat({ db, log, worker_id: ids.next(), isWorking })
  return {
    checkLoops: () => ({
      outbox: worker.isHealthy() ? undefined : 'the worker does not make rounds',
      evaluation: evaluator.isHealthy() ? undefined : 'the evaluation loop does not make rounds',
    }),
    stop: async () => {
      for (const stopSweeping of sweeps) stopSweeping()
      await Promise.all(
        [
          worker,
          evaluator,
          scans,
          months,
          statistics,
          checkpoints,
          anchors,
          history,
          witnesses,
          sinks,
          heartbeat,
        ].map(part => part?.stop()),
      )
    },
  }
}

function startWitnessingIfWanted(parts: BackgroundParts): Witnessing | undefined {
  const { config, time_limits } = parts
  const { log_policy: policy } = config
  if (!policy || policy.witnesses.length === 0) return undefined
  return startWitnessing({ ...parts, policy, limit_ms: time_limits.witness_ms })
}

function startFollowingIfWanted(parts: BackgroundParts): Following | undefined {
  const { config, time_limits } = parts
  const { audit_sinks: sinks, s3_credentials } = config
  if (sinks.length === 0) return undefined
  return startFollowing({ ...parts, sinks, s3_credentials, limit_ms: time_limits.audit_sink_ms })
}
