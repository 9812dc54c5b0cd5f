// The environment part of `admin check`: snapshot numbers have no gaps, run intervals match the running artifacts,
// and every verdict follows from the current policies and evidence.
import type { Db } from '../db/database.ts'
import { makeCompiledPolicies } from '../evaluation/compiled-policies.ts'
import { evaluateArtifacts, listFingerprints } from '../evaluation/evaluate-artifacts.ts'
import { findNextExpiry } from '../evaluation/expiring-decisions-store.ts'
import { findKnownFlows } from '../evaluation/known-flows-store.ts'
import { readEnvironmentRules } from '../evaluation/rules-store.ts'
import { listPreviousEvaluations } from '../evaluation/running-store.ts'
import { findIntervalMismatches, findMisnumbered, listSettledEnvironments } from './environments-store.ts'

export async function findEnvironmentProblems(tx: Db): Promise<Record<string, string[]>> {
  return {
    'every environment has its snapshots from 1 to the latest': await findMisnumbered(tx),
    'every running artifact has one open interval and one verdict': await findIntervalMismatches(tx),
    'every running artifact has the verdict its policies and evidence give it': await findWrongVerdicts(tx),
  }
}

/** An allow-list entry counts until the evaluator has expired it, so none counts as expired here. */
const BEFORE_ANY_EXPIRY = new Date(0)
/** Later than any expiry. */
const AFTER_ALL_EXPIRIES = new Date(8.64e15)

async function findWrongVerdicts(tx: Db): Promise<string[]> {
  const wrong: string[] = []
  const compiled_policies = makeCompiledPolicies()
  for (const { org_id, environment_id, name } of await listSettledEnvironments(tx)) {
    const stored = await listPreviousEvaluations(tx, org_id, { environment_id, keys: null })
    const evaluated = await evaluateArtifacts(
      stored,
      {
        ...(await readEnvironmentRules(tx, org_id, environment_id, BEFORE_ANY_EXPIRY)),
        known: await findKnownFlows(tx, org_id, listFingerprints(stored)),
        now: await findHandledTime(tx, org_id),
      },
      compiled_policies,
    )
    for (const [i, { compliant }] of evaluated.entries()) {
      const previous = stored[i]
      if (previous && previous.compliant !== compliant)
        wrong.push(`${name}: ${previous.name} is stored as ${previous.compliant} but should be ${compliant}`)
    }
  }
  return wrong
}

/**
 * A decision counts until the evaluator has handled its expiry, so this is just before the first unhandled expiry.
 */
async function findHandledTime(tx: Db, org_id: string): Promise<Date> {
  const next = await findNextExpiry(tx, org_id)
  return next === null ? AFTER_ALL_EXPIRIES : new Date(next.getTime() - 1)
}
