// The part of `admin check` about environments: snapshots are numbered, intervals are those of what runs, and every verdict
// is the one that today's rules give on today's evidence.
import type { Db } from '../db/database.ts'
import { judgeAll } from '../judging/evaluate.ts'
import { allowListOf, attachedPolicies, flowsThatKnow } from '../judging/evidence-store.ts'
import { runningAsJudged } from '../judging/running-store.ts'
import { findAstray, findMisnumbered, settledEnvironments } from './environments-store.ts'

export async function environmentProblems(tx: Db): Promise<Record<string, string[]>> {
  return {
    'every environment has its snapshots from 1 to the latest': await findMisnumbered(tx),
    'everything that runs has one open interval and one verdict': await findAstray(tx),
    'everything that runs has the verdict its policies and evidence give it': await findWrongVerdicts(tx),
  }
}

/** What is on the allow-list counts until the judge has ended it. */
const BEFORE_ANY_EXPIRY = new Date(0)

async function findWrongVerdicts(tx: Db): Promise<string[]> {
  const wrong: string[] = []
  for (const { org_id, environment_id, name } of await settledEnvironments(tx)) {
    const stored = await runningAsJudged(tx, org_id, { environment_id, keys: null })
    const fingerprints = stored
      .map(({ fingerprint }) => fingerprint)
      .filter(fingerprint => fingerprint !== '')
    const judged = await judgeAll(stored, {
      policies: await attachedPolicies(tx, org_id, environment_id),
      allow_list: await allowListOf(tx, org_id, environment_id, BEFORE_ANY_EXPIRY),
      known: await flowsThatKnow(tx, org_id, fingerprints),
    })
    for (const [i, { compliant }] of judged.entries()) {
      const was = stored[i]
      if (was && was.compliant !== compliant)
        wrong.push(`${name}: ${was.name} is stored as ${was.compliant}, ${compliant} is right`)
    }
  }
  return wrong
}
