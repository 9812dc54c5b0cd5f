// The filters of reads of builds: a period, and repositories.
import type { Db } from '../../db/database.ts'
import { computeLengthInDays, type Period, resolvePeriod } from '../../domain/period.ts'
import { invalid } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { noSuchRepo } from '../repos/problems.ts'
import { fromEpoch } from '../shared/epoch-times.ts'
import { requireOrder } from '../shared/periods.ts'
import { listRepoIds } from './store.ts'
import { DEFAULT_DAYS } from './wire.ts'

/** Limited because the query reads all builds of the organization in the period. */
export const MAX_DAYS = 366

/** The period between `start_ts` and `end_ts`. Throws a 400 if it is not valid. */
export function readBuildPeriod(query: { start_ts?: number; end_ts?: number }, now: Date): Period {
  const given = { from: fromEpoch(query.start_ts), to: fromEpoch(query.end_ts) }
  const period = requireOrder(resolvePeriod(given, DEFAULT_DAYS, now), 'start_ts')
  if (computeLengthInDays(period) <= MAX_DAYS) return period
  throw invalid({ 'query.start_ts': `The period should be at most ${MAX_DAYS} days long` })
}

type RepoQuery = Partial<Record<'repo_id' | 'repo_name' | 'repo_inner_id', string>>

/** The repositories that match all filters; null without filters. Throws 404 when there are none. */
export async function resolveRepoIds(tx: Db, org_id: string, query: RepoQuery): Promise<string[] | null> {
  const { repo_id: external_id, repo_name: name, repo_inner_id } = query
  const requested = name || external_id || repo_inner_id
  // Clients send unset filters as empty strings.
  if (!requested) return null
  const repo_id = repo_inner_id ? parseWireId(repo_inner_id) : null
  if (repo_id === undefined) throw noSuchRepo(requested)
  const found = await listRepoIds(tx, org_id, {
    name: name || null,
    external_id: external_id || null,
    repo_id,
  })
  if (found.length === 0) throw noSuchRepo(requested)
  return found
}
