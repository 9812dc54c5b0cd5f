// Runs a round of the evaluation loop immediately, for everything that is pending.
import type { Database } from '../src/db/database.ts'
import { makeCompiledPolicies } from '../src/evaluation/compiled-policies.ts'
import { evaluatePending, expireEntry } from '../src/evaluation/evaluate-environment.ts'
import { expireDecisions } from '../src/evaluation/expire-decisions.ts'
import { listOrgsWithExpired } from '../src/evaluation/expiring-decisions-store.ts'
import { makeRound } from '../src/evaluation/loop.ts'
import { listExpiredEntries, listPendingEnvironments } from '../src/evaluation/pending-store.ts'
import { recordStale } from '../src/evaluation/staleness.ts'
import { listNewlyStale } from '../src/evaluation/staleness-store.ts'
import type { Clock } from '../src/lib/clock.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeWorkCounters } from '../src/lib/work-counters.ts'

const MAX_INT4 = 2 ** 31 - 1

export async function evaluateAll(db: Database, clock: Clock): Promise<void> {
  const ids = makeIds(clock)
  const tools = { ids, compiled_policies: makeCompiledPolicies() }
  // First, because they request evaluations.
  for (const { org_id } of await listOrgsWithExpired(db, clock.now()))
    await expireDecisions(db, tools, clock.now(), org_id)
  const all = { before: clock.now(), except: [], most_per_sponsor: MAX_INT4 }
  for (const pending of await listPendingEnvironments(db, all)) {
    await evaluatePending(db, tools, clock.now(), pending)
  }
  for (const entry of await listExpiredEntries(db, clock.now()))
    await expireEntry(db, tools, clock.now(), entry)
  for (const stale of await listNewlyStale(db, clock.now())) {
    await recordStale(db, ids, clock.now(), stale)
  }
}

/** A round of the loop itself, which takes turns with other workers. */
export const makeTestRound = ({ db, clock }: { db: Database; clock: Clock }, locked_org_id?: string) =>
  makeRound({
    work: makeWorkCounters(),
    db,
    ids: makeIds(clock),
    compiled_policies: makeCompiledPolicies(),
    clock,
    log: makeLog('silent'),
    ...(locked_org_id === undefined ? {} : { locked_org_id }),
  })
