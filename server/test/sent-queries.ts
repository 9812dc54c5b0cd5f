// Records the statements that a piece of work sends, with their values and their scope, to run them again elsewhere.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { StatementObserver } from '../src/db/database.ts'
import type { Query } from '../src/db/packet.ts'
import { PLANS, type Plans } from '../src/db/plans.ts'
import { SCOPE } from '../src/db/scope.ts'

export interface SentQuery {
  name: string
  values: readonly unknown[]
  /** The statement that set the rows that its transaction may see. */
  scope: Query
  /** How it was planned. */
  plans: Plans
}

const current = new AsyncLocalStorage<SentQuery[]>()
/** A transaction sends its scope once; each connection runs one transaction at a time. */
const scopes = new WeakMap<object, Query>()
const plans = new WeakMap<object, Plans>()

export const recordPacket: NonNullable<StatementObserver['onPacket']> = (connection, queries) => {
  const sent = current.getStore()
  for (const query of queries) {
    if (query.name === SCOPE) scopes.set(connection, query)
    // The last value of both says how the following statements are planned.
    if (query.name === SCOPE || query.name === PLANS) plans.set(connection, query.values.at(-1) as Plans)
    const scope = scopes.get(connection)
    if (!scope || query === scope || query.name === PLANS) continue
    sent?.push({ name: query.name, values: query.values, scope, plans: plans.get(connection) ?? 'auto' })
  }
}

/** Everything that the work sends, in order, including statements that nobody waits for. */
export async function recordQueries(work: () => Promise<unknown>): Promise<readonly SentQuery[]> {
  const sent: SentQuery[] = []
  await current.run(sent, work)
  return sent
}
