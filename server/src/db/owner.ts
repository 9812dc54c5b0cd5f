// Transactions as the schema owner, for setup and the admin program: the only code that works across orgs.
import type pg from 'pg'
import { TYPES } from './column-values.ts'
import type { Db } from './database.ts'
import { type LogEntry, listEntries, startAppending } from './log-entries.ts'
import { bindValues, type Statement } from './statement.ts'

export async function withOwnerTransaction<T>(owner: pg.Client, work: (tx: Db) => Promise<T>): Promise<T> {
  await owner.query('begin')
  try {
    const entries: LogEntry[] = []
    const db = makeOwnerDb(owner)
    const runSteps: Db['runSteps'] = steps => {
      entries.push(...listEntries(steps))
      return db.runSteps(steps)
    }
    const value = await work({ ...db, runSteps })
    const appending = await startAppending(entries, new Map(), runSteps)
    const rows = await db.runSteps(appending.steps)
    await owner.query('commit')
    appending.onCommitted(rows)
    return value
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
}

/** Runs statements in the connection's current transaction, if any. */
export function makeOwnerDb(owner: pg.Client): Db {
  return {
    run: async (statement, params) => {
      const values = bindValues(statement as Statement<unknown, unknown>, params as Record<string, unknown>)
      const result = await owner.query({ text: statement.text, values, types: TYPES })
      return result.rows
    },
    runSteps: async steps => {
      const rows: unknown[][] = []
      for (const { text, values } of steps)
        rows.push((await owner.query({ text, values: values ?? [], types: TYPES })).rows)
      return rows
    },
    // The owner's connections have no time limits.
    expectRows: () => undefined,
  }
}
