// Counts the work of this process since its start, for /metrics. Plain numbers, incremented by the parts that do the
// work.

interface JobCounts {
  done: number
  failed: number
  /** Not sent, because the recipient gets no more mail now, or none at all. */
  suppressed: number
  seconds: number
}

export interface WorkCounters {
  batches: number
  batch_items: number
  auth_cache_hits: number
  auth_cache_misses: number
  evaluations: number
  failed_evaluations: number
  /** Attempts at outbox jobs, by kind. */
  jobs: Map<string, JobCounts>
}

export function makeWorkCounters(): WorkCounters {
  return {
    batches: 0,
    batch_items: 0,
    auth_cache_hits: 0,
    auth_cache_misses: 0,
    evaluations: 0,
    failed_evaluations: 0,
    jobs: new Map(),
  }
}

export function countJob(
  { jobs }: WorkCounters,
  kind: string,
  outcome: 'done' | 'failed' | 'suppressed',
  seconds: number,
): void {
  const counts = jobs.get(kind) ?? { done: 0, failed: 0, suppressed: 0, seconds: 0 }
  counts[outcome] += 1
  counts.seconds += seconds
  jobs.set(kind, counts)
}
