// Follows a cluster forever: one list, then only changes. Reports soon after a change and regularly without
// one. While it cannot see the cluster it reports nothing, so that the service notices the silence.
import { setTimeout as wait } from 'node:timers/promises'
import { ConnectionProblem } from '../../http/exchange.ts'
import { Problem } from '../../program/problem.ts'
import type { Observation } from '../observation.ts'
import { type Cluster, WatchExpired } from './client.ts'
import { applyChange, listEverything, type Seen, type Selection, toObservation } from './observe.ts'

export interface FollowParts {
  cluster: Cluster
  selection: Selection
  /** A report is sent this long after the last of several changes… */
  settle_ms: number
  /** …and at the latest this long after the first. */
  most_ms: number
  heartbeat_ms: number
  now_ms(): number
  report(observation: Observation): Promise<void>
  say(text: string): void
  signal: AbortSignal
}

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 60_000

export async function followCluster(parts: FollowParts): Promise<void> {
  let failures = 0
  while (!parts.signal.aborted) {
    try {
      const seen = await listEverything(parts.cluster, parts.selection)
      failures = 0
      await followFrom(seen, parts)
    } catch (error) {
      if (parts.signal.aborted) return
      if (!(error instanceof Problem || error instanceof ConnectionProblem || error instanceof WatchExpired))
        throw error
      // A list that is too old is normal; anything else is logged.
      if (!(error instanceof WatchExpired)) {
        parts.say(`The cluster cannot be seen: ${error.message}`)
        failures += 1
        await wait(Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS), undefined, {
          signal: parts.signal,
        }).catch(() => undefined)
      }
    }
  }
}

async function followFrom(seen: Seen, parts: FollowParts): Promise<void> {
  const stop = new AbortController()
  const onAbort = () => stop.abort()
  parts.signal.addEventListener('abort', onAbort)
  const changes = { first_ms: 0, last_ms: 0 }
  const note = () => {
    changes.last_ms = parts.now_ms()
    changes.first_ms ||= changes.last_ms
  }
  try {
    await Promise.race([
      reportRegularly(seen, changes, { ...parts, signal: stop.signal }),
      ...[...seen.versions.keys()].map(scope =>
        watchScope(seen, scope, note, { ...parts, signal: stop.signal }),
      ),
    ])
  } finally {
    stop.abort()
    parts.signal.removeEventListener('abort', onAbort)
  }
}

/** A watch ends after some minutes, and the next one continues where it stopped. */
async function watchScope(
  seen: Seen,
  scope: string | undefined,
  note: () => void,
  { cluster, signal }: FollowParts,
): Promise<void> {
  while (!signal.aborted) {
    const version = seen.versions.get(scope) ?? ''
    for await (const change of cluster.watchPods(scope, version, signal))
      if (applyChange(seen, scope, change)) note()
  }
}

async function reportRegularly(
  seen: Seen,
  changes: { first_ms: number; last_ms: number },
  parts: FollowParts,
): Promise<void> {
  const { settle_ms, most_ms, heartbeat_ms, now_ms, signal } = parts
  let reported_ms = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    const now = now_ms()
    const hasSettled = now - changes.last_ms >= settle_ms || now - changes.first_ms >= most_ms
    if ((changes.first_ms !== 0 && hasSettled) || now - reported_ms >= heartbeat_ms) {
      changes.first_ms = 0
      reported_ms = now
      await parts.report(toObservation(seen, parts.selection, Math.floor(now / 1000)))
    }
    await wait(Math.min(settle_ms, heartbeat_ms) / 4, undefined, { signal }).catch(() => undefined)
  }
}
