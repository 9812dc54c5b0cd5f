// GET /coverage-trends/{org}: how much of what ran was covered, and how many environments were compliant, over time.
import type { Db } from '../../db/database.ts'
import { countCoverage, type EnvironmentAt } from '../../domain/snapshot/coverage.ts'
import { isSilent } from '../../domain/snapshot/silences.ts'
import { requirePhysicalEnvironments } from '../environments/problems.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { MAX_TREND_DAYS, readTrendPeriod } from '../shared/periods.ts'
import { type KnownSilences, readSilences } from '../shared/silences-store.ts'
import { toEpoch } from '../shared/wire.ts'
import {
  type CountedEnvironment,
  countProvenance,
  listCountedEnvironments,
  listSnapshotsAt,
  type ProvenanceAtMoments,
  type SnapshotAtRow,
} from './store.ts'
import { CoverageTrends, CoverageTrendsQuery, toWireBucket } from './wire.ts'

const MAX_ENVIRONMENTS = 500
/** The newest starts of artifacts in the period. */
const MAX_EXAMINED = 20_000

export const getCoverageTrends = defineOperation(
  {
    id: 'getCoverageTrends',
    method: 'GET',
    path: '/coverage-trends/{org}',
    tag: 'Environments',
    summary: 'Get coverage and compliance over time',
    description:
      'Divides a period into buckets of equal length. Each has figures of its end: how many artifacts ran, how many of ' +
      'them had provenance and were compliant, and how many environments were compliant. Only what was recorded by ' +
      'then counts. Without `env_name`, all physical environments are counted, each until it was archived; for a ' +
      `logical environment, those of its current members. Covers at most ${MAX_TREND_DAYS} days, the newest ` +
      `${MAX_ENVIRONMENTS} environments and, for provenance, the newest ${MAX_EXAMINED} deployments.`,
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: CoverageTrendsQuery,
    returns: CoverageTrends,
    fails: [400, 403, 404],
    example: { query: { from: '2026-02-01', to: '2026-03-01', buckets: '4' } },
  },
  ({ query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { period, buckets } = readTrendPeriod(query, now)
      // The future has no figures.
      const moments = buckets.filter(({ from }) => from <= now).map(({ to }) => (to < now ? to : now))
      const environment_ids = await requirePhysicalEnvironments(tx, org, query)
      const found = await listCountedEnvironments(tx, org.org_id, {
        environment_ids,
        limit: MAX_ENVIRONMENTS + 1,
      })
      const environments = found.slice(0, MAX_ENVIRONMENTS)
      const is_whole_org = environment_ids === null
      const known = await readMoments(tx, org.org_id, { environments, moments, is_whole_org, now })
      return {
        from: toEpoch(period.from),
        to: toEpoch(period.to),
        counted_since: toEpoch(findStart(known, moments, period.from)),
        has_all_environments: found.length <= MAX_ENVIRONMENTS,
        buckets: buckets.map((bucket, i) => {
          const at = moments[i]
          const coverage = at === undefined ? null : countCoverage(listKnownAt(environments, known, i, at))
          const hasProvenance = at !== undefined && at >= known.provenance.counted_since
          return toWireBucket(bucket, coverage, { hasProvenance })
        }),
      }
    }),
)

interface Known {
  /** By moment, counted from 0, then by environment. */
  snapshots: ReadonlyMap<string, SnapshotAtRow>[]
  silences: ReadonlyMap<string, KnownSilences>
  provenance: ProvenanceAtMoments
}

interface Moments {
  environments: CountedEnvironment[]
  moments: Date[]
  is_whole_org: boolean
  now: Date
}

async function readMoments(
  tx: Db,
  org_id: string,
  { environments, moments, is_whole_org, now }: Moments,
): Promise<Known> {
  const [since] = moments
  if (since === undefined)
    return { snapshots: [], silences: new Map(), provenance: { counted_since: now, counts: new Map() } }
  const environment_ids = environments.map(({ environment_id }) => environment_id)
  const [rows, silences, provenance] = await Promise.all([
    listSnapshotsAt(tx, org_id, { environment_ids, moments }),
    readSilences(tx, org_id, environments, { since, now }),
    countProvenance(tx, org_id, { is_whole_org, environment_ids, moments, max_examined: MAX_EXAMINED }),
  ])
  const snapshots = moments.map(() => new Map<string, SnapshotAtRow>())
  for (const row of rows) snapshots[row.moment - 1]?.set(row.environment_id, row)
  return { snapshots, silences, provenance }
}

/** The environments that had reported and were not archived. */
function listKnownAt(
  environments: readonly CountedEnvironment[],
  { snapshots, silences, provenance }: Known,
  i: number,
  at: Date,
): EnvironmentAt[] {
  return environments.flatMap(({ environment_id, archived_at }) => {
    const snapshot = snapshots[i]?.get(environment_id)
    if (snapshot === undefined || (archived_at !== null && archived_at <= at)) return []
    const known = silences.get(environment_id)
    return [
      {
        ...snapshot,
        is_stale: known === undefined || at < known.known_since ? null : isSilent(known.silences, at),
        with_provenance: provenance.counts.get(environment_id)?.[i] ?? 0,
      },
    ]
  })
}

/** Later than the start of the period if too much has changed since. */
function findStart({ provenance }: Known, [first]: Date[], from: Date): Date {
  return first !== undefined && provenance.counted_since > first ? provenance.counted_since : from
}
