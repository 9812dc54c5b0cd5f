// The statement that reads when environments became stale and reported again: a bounded number of their newest events.
import type { Db } from '../../db/database.ts'
import {
  bool,
  defineStatement,
  float,
  int,
  nullable,
  readsPage,
  text,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import {
  listSilences,
  mergeSilences,
  type Silence,
  type SilenceEvent,
} from '../../domain/snapshot/silences.ts'
import { toIdBefore } from './id-bounds.ts'

/** For each environment. */
const MAX_EXAMINED = 5000
/** Across all environments of one read: with more than a hundred of them, fewer events of each are examined. */
const MAX_EXAMINED_IN_ALL = 500_000

const events = defineStatement(
  'shared.silence_events',
  { org_id: uuid, environment_ids: uuids, not_before_id: uuid, max_examined: int },
  {
    environment_id: uuid,
    kind: text,
    happened_at: time,
    last_reported_at: nullable(float),
    expected_report_interval: nullable(float),
    /** Whether the read stopped at this event because it reached its limit. */
    is_limit: bool,
  },
  `select s.environment_id, x.kind, x.happened_at, (x.data ->> 'last_reported_at')::float8 as last_reported_at,
     (x.data ->> 'expected_report_interval')::float8 as expected_report_interval, x.no = :max_examined as is_limit
   from unnest(:environment_ids::uuid[]) as s(environment_id)
   cross join lateral (
     select e.event_id, e.kind, e.happened_at, e.data, row_number() over (order by e.event_id desc) as no from events e
     where e.org_id = :org_id and e.environment_id = s.environment_id and e.environment_id is not null
       and e.event_id >= :not_before_id
     order by e.event_id desc
     limit :max_examined::int
   ) x
   where x.kind in ('environment_stale', 'environment_reporting_again') or x.no = :max_examined
   order by x.event_id`,
  readsPage,
)

export interface KnownSilences {
  /** Oldest first. */
  silences: Silence[]
  /** Silences before this time are unknown: later than requested if there are too many events. */
  known_since: Date
}

export interface SilentEnvironment {
  environment_id: string
  stale_at: Date | null
}

/** The silences of each environment since a time, by its id. */
export async function readSilences(
  db: Db,
  org_id: string,
  environments: readonly SilentEnvironment[],
  { since, now }: { since: Date; now: Date },
): Promise<Map<string, KnownSilences>> {
  const rows = await db.run(events, {
    org_id,
    environment_ids: environments.map(({ environment_id }) => environment_id),
    not_before_id: toIdBefore(since),
    max_examined: Math.min(MAX_EXAMINED, Math.ceil(MAX_EXAMINED_IN_ALL / Math.max(1, environments.length))),
  })
  return new Map(
    environments.map(({ environment_id, stale_at }) => {
      const here = rows.filter(row => row.environment_id === environment_id)
      const limit = here.find(({ is_limit }) => is_limit)?.happened_at
      const known_since = limit !== undefined && limit > since ? limit : since
      const silences = listSilences(here.flatMap(toEvent), { since: known_since, stale_at, now })
      return [environment_id, { silences, known_since }]
    }),
  )
}

/** An environment, and the physical ones whose reports it depends on: itself, or the members of a logical one. */
export interface SilentSources extends SilentEnvironment {
  sources: readonly string[]
}

/** The silences of each environment, logical or not, without overlaps. */
export async function readSilencesOfAll(
  db: Db,
  org_id: string,
  environments: readonly SilentSources[],
  period: { since: Date; now: Date },
): Promise<Map<string, KnownSilences>> {
  const sources = [...new Set(environments.flatMap(each => each.sources))]
  // The environment itself knows whether it is stale now; that is added below.
  const found = await readSilences(
    db,
    org_id,
    sources.map(environment_id => ({ environment_id, stale_at: null })),
    period,
  )
  return new Map(
    environments.map(({ environment_id, stale_at, sources: its }) => {
      const known = its.flatMap(source => found.get(source) ?? [])
      const current = listSilences([], { since: period.since, stale_at, now: period.now })
      const silences = mergeSilences([...known.flatMap(each => each.silences), ...current])
      const known_since = known.map(each => each.known_since).reduce(findLater, period.since)
      return [environment_id, { silences, known_since }]
    }),
  )
}

const findLater = (one: Date, other: Date): Date => (one > other ? one : other)

function toEvent({ kind, ...event }: Omit<SilenceEvent, 'kind'> & { kind: string }): SilenceEvent[] {
  return kind === 'environment_stale' || kind === 'environment_reporting_again' ? [{ ...event, kind }] : []
}
