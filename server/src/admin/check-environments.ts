// The part of `admin check` about environments: snapshots are numbered, intervals are those of what runs, and every verdict
// is the one that today's rules give on today's evidence.
import type { Db } from '../db/database.ts'
import { evaluateArtifacts } from '../evaluation/evaluate-artifacts.ts'
import { findAllowListed, findKnownFlows, listAttachedPolicies } from '../evaluation/evidence-store.ts'
import { listPreviousEvaluations } from '../evaluation/running-store.ts'
import { findIntervalMismatches, findMisnumbered, listSettledEnvironments } from './environments-store.ts'

export async function findEnvironmentProblems(tx: Db): Promise<Record<string, string[]>> {
  return {
    'every environment has its snapshots from 1 to the latest': await findMisnumbered(tx),
    'everything that runs has one open interval and one verdict': await findIntervalMismatches(tx),
    'everything that runs has the verdict its policies and evidence give it': await findWrongVerdicts(tx),
  }
}

/** What is on the allow-list counts until the judge has ended it. */
const BEFORE_ANY_EXPIRY = new Date(0)

async function findWrongVerdicts(tx: Db): Promise<string[]> {
  const wrong: string[] = []
  for (const { org_id, environment_id, name } of await listSettledEnvironments(tx)) {
    const stored = await listPreviousEvaluations(tx, org_id, { environment_id, keys: null })
    const fingerprints = stored
      .map(({ fingerprint }) => fingerprint)
      .filter(fingerprint => fingerprint !== '')
    const evaluated = await evaluateArtifacts(stored, {
      policies: await listAttachedPolicies(tx, org_id, environment_id),
      allow_list: await findAllowListed(tx, org_id, environment_id, BEFORE_ANY_EXPIRY),
      known: await findKnownFlows(tx, org_id, fingerprints),
    })
    for (const [i, { compliant }] of evaluated.entries()) {
      const was = stored[i]
      if (was && was.compliant !== compliant)
        wrong.push(`${name}: ${was.name} is stored as ${was.compliant}, ${compliant} is right`)
    }
  }
  return wrong
}
