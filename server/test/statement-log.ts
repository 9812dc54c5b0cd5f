// Records which statements a piece of work sends, by name. Work is identified by its asynchronous context, so other
// requests and background work are never counted with it.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, StatementObserver } from '../src/db/database.ts'
import { until } from './patience.ts'
import { recordPacket } from './sent-queries.ts'

export interface Sent {
  /** The names of the statements, in the order they were sent. */
  statements: string[]
  /** The waits: each for a statement (the last one of a batch), or for 'commit'. */
  waits: string[]
}

export interface StatementLog extends Sent {
  /** How often a statement was sent. */
  countOf(name: string): number
  /** Records the statements of this work and of everything it starts, such as a worker or a server. */
  during<T>(work: () => T): T
}

const current = new AsyncLocalStorage<Sent>()

/** Passed to every test database. */
export const statementObserver: StatementObserver = {
  onStatement: name => void current.getStore()?.statements.push(name),
  onWait: name => void current.getStore()?.waits.push(name),
  onPacket: recordPacket,
}

export function makeStatementLog(): StatementLog {
  const sent: Sent = { statements: [], waits: [] }
  return {
    ...sent,
    countOf: name => sent.statements.filter(one => one === name).length,
    during: work => current.run(sent, work),
  }
}

/** Everything that the work sends, including statements that nobody waits for, such as recording the use of a key. */
export async function recordStatements(app: { db: Database }, work: () => Promise<unknown>): Promise<Sent> {
  const { statements, waits, during } = makeStatementLog()
  await during(work)
  await untilIdle(app.db)
  return { statements, waits }
}

export const listStatements = async (app: { db: Database }, work: () => Promise<unknown>) =>
  (await recordStatements(app, work)).statements

export const recordWaits = async (app: { db: Database }, work: () => Promise<unknown>) =>
  (await recordStatements(app, work)).waits

/** Waits until all connections of the pool are idle. */
export function untilIdle(db: Database): Promise<void> {
  return until(() => {
    const { total, idle, waiting } = db.pool()
    return waiting === 0 && idle === total
  })
}
