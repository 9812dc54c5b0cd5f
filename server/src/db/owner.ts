// Transactions as the owner of the schema, for setting up and for the admin program: the only work across orgs.
import type pg from 'pg'
import type { Db } from './database.ts'
import { type Statement, valuesOf } from './statement.ts'

export async function asOwner<T>(owner: pg.Client, work: (tx: Db) => Promise<T>): Promise<T> {
  await owner.query('begin')
  try {
    const value = await work(ownerDb(owner))
    await owner.query('commit')
    return value
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
}

/** In whatever transaction the connection is. */
export function ownerDb(owner: pg.Client): Db {
  return {
    run: async (statement, params) => {
      const values = valuesOf(statement as Statement<unknown, unknown>, params as Record<string, unknown>)
      const result = await owner.query({ text: statement.text, values })
      return result.rows
    },
  }
}
