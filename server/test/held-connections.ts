// Fails work that asks the pool for a second connection while it holds one. If enough such work runs at the same
// time, it takes every connection and waits forever, whatever the size of the pool, so tests refuse even the first.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Guard } from '../src/db/database.ts'

interface Held {
  is_open: boolean
}

const current = new AsyncLocalStorage<Held>()

/** The same database for the application under test. Tests keep the original: they hold locks on purpose. */
export function refuseSecondConnection(db: Database): Database {
  const check = (name: string) => {
    if (current.getStore()?.is_open) throw new Error(`${name} needs a second connection inside a transaction`)
  }
  return {
    ...db,
    runOnce: async (scope, statement, params) => {
      check(statement.name)
      return db.runOnce(scope, statement, params)
    },
    runBatch: async (scope, steps) => {
      check(steps.map(({ name }) => name).join(', '))
      return db.runBatch(scope, steps)
    },
    runPipeline: async (scope, pipeline) => {
      check(pipeline.reads.map(({ name }) => name).join(', '))
      return db.runPipeline(scope, pipeline)
    },
    read: async (scope, statement, params) => {
      check(statement.name)
      return db.read(scope, statement, params)
    },
    withTransaction: async (scope, work, guard) => {
      check('a transaction')
      return db.withTransaction(scope, tx => hold(() => work(tx)), guard && holdIn(guard))
    },
  }
}

function holdIn(guard: Guard): Guard {
  return { ...guard, check: tx => hold(() => guard.check(tx)) }
}

async function hold<T>(work: () => Promise<T>): Promise<T> {
  const held: Held = { is_open: true }
  try {
    return await current.run(held, work)
  } finally {
    // Work that was started without waiting for it may continue after the transaction.
    held.is_open = false
  }
}
