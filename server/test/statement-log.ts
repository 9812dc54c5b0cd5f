// Which statements a piece of work sends, by name. Work is told apart by the asynchronous context it runs in, so that
// neither other requests nor what goes on in the background is ever counted with it.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, StatementObserver } from '../src/db/database.ts'
import { until } from './patience.ts'

export interface Sent {
  /** The names of the statements, in the order they were sent. */
  statements: string[]
  /** What was waited for: the name of a statement (the last, of several sent together), or 'commit'. */
  waits: string[]
}

export interface StatementLog extends Sent {
  /** How often a statement was sent. */
  countOf(name: string): number
  /** Notes what this sends, and whatever it starts: a worker, a server that listens. */
  during<T>(work: () => T): T
}

const current = new AsyncLocalStorage<Sent>()

/** Handed to every database of the tests. */
export const statementObserver: StatementObserver = {
  onStatement: name => void current.getStore()?.statements.push(name),
  onWait: name => void current.getStore()?.waits.push(name),
}

export function newStatementLog(): StatementLog {
  const sent: Sent = { statements: [], waits: [] }
  return {
    ...sent,
    countOf: name => sent.statements.filter(one => one === name).length,
    during: work => current.run(sent, work),
  }
}

/** What the work sends from its beginning to its end, with what nobody waits for: the note that a key was used. */
export async function sentBy(app: { db: Database }, work: () => Promise<unknown>): Promise<Sent> {
  const { statements, waits, during } = newStatementLog()
  await during(work)
  await untilIdle(app.db)
  return { statements, waits }
}

export const statementsOf = async (app: { db: Database }, work: () => Promise<unknown>) =>
  (await sentBy(app, work)).statements

export const waitsOf = async (app: { db: Database }, work: () => Promise<unknown>) =>
  (await sentBy(app, work)).waits

/** Whoever has asked for a connection has one, and has given it back. */
export function untilIdle(db: Database): Promise<void> {
  return until(() => {
    const { total, idle, waiting } = db.pool()
    return waiting === 0 && idle === total
  })
}
