// Records the statements that a piece of work sends, with their values and their scope, to rerun them elsewhere.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { StatementObserver } from '../src/db/database.ts'
import type { Query } from '../src/db/packet.ts'
import { PLANS, type Plans } from '../src/db/plans.ts'
import { SCOPE } from '../src/db/scope.ts'

export interface SentQuery {
  name: string
  values: readonly unknown[]
  /** The statement that set the visible rows of its transaction. */
  scope: Query
  /** The planning mode. */
  plans: Plans
  /** Earlier statements of the same packet that leave values for it in a setting. */
  before: readonly Query[]
}

const current = new AsyncLocalStorage<SentQuery[]>()
/** A transaction sends its scope once; each connection runs one transaction at a time. */
const scopes = new WeakMap<object, Query>()
const plans = new WeakMap<object, Plans>()

export const recordPacket: NonNullable<StatementObserver['onPacket']> = (connection, queries) => {
  const sent = current.getStore()
  const before: Query[] = []
  for (const query of queries) {
    if (query.name === SCOPE) scopes.set(connection, query)
    // The last value of both decides how the following statements are planned.
    if (query.name === SCOPE || query.name === PLANS) plans.set(connection, query.values.at(-1) as Plans)
    const scope = scopes.get(connection)
    if (!scope || query === scope || query.name === PLANS) continue
    const { name, values } = query
    sent?.push({ name, values, scope, plans: plans.get(connection) ?? 'auto', before: [...before] })
    if (query.text.includes("set_config('app.")) before.push(query)
  }
}

/** Everything that the work sends, in order, including statements that nobody waits for. */
export async function recordQueries(work: () => Promise<unknown>): Promise<readonly SentQuery[]> {
  const sent: SentQuery[] = []
  await current.run(sent, work)
  return sent
}
