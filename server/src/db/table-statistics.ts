// Analyzes tables that have grown, so that plans fit them. Autovacuum does this too, but with PostgreSQL's defaults only
// once a minute, and a new installation grows from nothing to many thousand rows in that time (docs/adr/0028).
import type { Log } from '../lib/log.ts'
import type { Database } from './database.ts'
import { defineStatement, nullable, text } from './statement.ts'

const EVERY_MS = 3_000

const analyzeGrown = defineStatement(
  'statistics.analyze_grown_table',
  {},
  { analyzed: nullable(text) },
  'select analyze_grown_table() as analyzed',
)

export interface StatisticsParts {
  db: Database
  log: Log
}

/** Several processes may do this at once: one of them does the work. */
export function startAnalyzing({ db, log }: StatisticsParts): { stop(): Promise<void> } {
  let isRunning = false
  let hasFailed = false
  let running = run()
  const timer = setInterval(() => {
    if (!isRunning) running = run()
  }, EVERY_MS)
  timer.unref()
  return {
    stop: () => {
      clearInterval(timer)
      return running
    },
  }

  async function run(): Promise<void> {
    isRunning = true
    try {
      const tables = await analyzeGrownTables(db)
      if (tables.length > 0) log.debug({ tables }, 'analyzed tables that have grown')
      hasFailed = false
    } catch (error) {
      // Nothing fails without it: the next round tries again, and so does autovacuum. Logged once until it succeeds.
      if (!hasFailed) log.warn({ err: error }, 'tables that have grown could not be analyzed')
      hasFailed = true
    } finally {
      isRunning = false
    }
  }
}

/** Uses a transaction for each table, so that no lock is held longer than necessary. Returns the tables' names. */
export async function analyzeGrownTables(db: Database): Promise<string[]> {
  const tables: string[] = []
  for (;;) {
    const [row] = await db.runOnce({}, analyzeGrown, {})
    // A table that is analyzed twice in a round has grown meanwhile; the next round is soon.
    if (!row?.analyzed || tables.includes(row.analyzed)) return tables
    tables.push(row.analyzed)
  }
}
