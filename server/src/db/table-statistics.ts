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

/** Several processes may do this at once: one of them works, and the others have nothing to do. */
export function startAnalyzing(parts: StatisticsParts): { stop(): Promise<void> } {
  let running = analyzeOnce(parts)
  let isRunning = true
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    running = analyzeOnce(parts).finally(finish)
  }, EVERY_MS)
  timer.unref()
  function finish() {
    isRunning = false
  }
  void running.finally(finish)
  return {
    stop: () => {
      clearInterval(timer)
      return running
    },
  }
}

async function analyzeOnce({ db, log }: StatisticsParts): Promise<void> {
  try {
    const tables = await analyzeGrownTables(db)
    if (tables.length > 0) log.debug({ tables }, 'analyzed tables that have grown')
  } catch (error) {
    // Nothing fails without it: the next round tries again, and so does autovacuum.
    log.warn({ err: error }, 'tables that have grown could not be analyzed')
  }
}

/** A transaction for each table, so that no lock is held longer than it needs. Returns their names. */
export async function analyzeGrownTables(db: Database): Promise<string[]> {
  const tables: string[] = []
  for (;;) {
    const [row] = await db.runOnce({}, analyzeGrown, {})
    // A table that is analyzed twice in a round has grown meanwhile; the next round is soon.
    if (!row?.analyzed || tables.includes(row.analyzed)) return tables
    tables.push(row.analyzed)
  }
}
