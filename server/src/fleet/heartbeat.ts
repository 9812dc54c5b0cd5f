// Regularly records that this worker is alive, so that processes that serve requests know whether any worker is.
import type { Database } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { readWorkers, recordHeartbeat } from './store.ts'

const EVERY_MS = 5_000
/** Several heartbeats: a late one does not mean that the worker is dead. */
export const ALIVE_S = 30

export interface HeartbeatParts {
  db: Database
  log: Log
  worker_id: string
  /** A worker whose loops are stuck must not count as alive. */
  isWorking(): boolean
}

export interface Heartbeat {
  stop(): Promise<void>
}

/** Resolves after the first heartbeat, even if it failed. */
export async function startHeartbeat({ db, log, worker_id, isWorking }: HeartbeatParts): Promise<Heartbeat> {
  let running: Promise<void> | undefined
  const beat = () => {
    if (!isWorking()) return undefined
    running ??= recordHeartbeat(db, worker_id)
      .catch(error => log.warn({ err: error }, 'the heartbeat of this worker could not be recorded'))
      .finally(() => {
        running = undefined
      })
    return running
  }
  await beat()
  const timer = setInterval(beat, EVERY_MS)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}

/** Explains why work is waiting, if no worker is alive. */
export async function findMissingWorkers(db: Database): Promise<string | undefined> {
  const { alive, unseen_s } = await readWorkers(db, ALIVE_S)
  if (alive > 0) return undefined
  const since = unseen_s === null ? '' : ` for ${unseen_s} s`
  return `no worker has been seen${since}; notifications and evaluations wait`
}
