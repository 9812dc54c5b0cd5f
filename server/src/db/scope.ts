// Everything that a transaction sets for itself before its first statement: the role, the rows it may see and its
// limits. All of it ends with the transaction, so no connection has a state that a pooler could mix up
// (docs/adr/0024).
import { FREEZE_TRANSACTION } from './frozen-orgs.ts'
import type { Query } from './packet.ts'
import type { Plans } from './plans.ts'
import type { TimeLimits } from './time-limits.ts'

/** The application's role. Row-level security applies to it. */
export const APP_ROLE = 'waybill_app'

/** The rows that a transaction may see: those of one org, of a presented API key or of a signed-in user. */
export interface Scope {
  org_id?: string
  key_hash?: string
  /** Set only by the worker, while it claims jobs of all orgs, and to measure its backlog. */
  worker?: true
  /** An authenticated user: their own rows, in every org. */
  user_id?: string
  /** Set only during sign-in or provisioning: the identity tables and nothing else. */
  signin?: true
}

export const TRANSACTION_SETTINGS = {
  // Compiling a plan takes longer than any of these statements runs.
  jit: 'off',
  TimeZone: 'UTC',
  statement_timeout: '9000',
  lock_timeout: '5000',
  idle_in_transaction_session_timeout: '30000',
} as const satisfies Record<string, string>

export interface ScopeSettings {
  /** The role that transactions switch to if the login has more rights than the application needs. */
  role?: string
  /** For a server that must never be written, even if it can be. */
  read_only?: true
  /** Overrides of the settings above. */
  settings?: Partial<Record<keyof typeof TRANSACTION_SETTINGS, string>>
}

/** The limits in force in a transaction that expects no particular number of rows. */
export function readTimeLimits({ settings = {} }: ScopeSettings): TimeLimits {
  const fixed = { ...TRANSACTION_SETTINGS, ...settings }
  return {
    statement_ms: Number(fixed.statement_timeout),
    lock_ms: Number(fixed.lock_timeout),
    idle_ms: Number(fixed.idle_in_transaction_session_timeout),
  }
}

export type BuildScopeQuery = (scope: Scope, plans?: Plans) => Query

export const SCOPE = 'scope'

/** Every statement of a pool is sent behind this one, so none runs with the rights of the login. */
export function makeScopeQueryBuilder({ role, read_only, settings = {} }: ScopeSettings): BuildScopeQuery {
  const fixed = {
    ...(role === undefined ? {} : { role }),
    ...(read_only ? { transaction_read_only: 'on' } : {}),
    ...TRANSACTION_SETTINGS,
    ...settings,
  }
  const sets = [
    ...['app.org', 'app.key', 'app.worker', 'app.person', 'app.signin', 'plan_cache_mode'].map(
      (name, i) => `set_config('${name}', $${i + 1}, true) is null`,
    ),
    ...Object.entries(fixed).map(([name, value]) => `set_config('${name}', '${value}', true) is null`),
    // Last, because it reads a table with the rights and row visibility set before.
    FREEZE_TRANSACTION,
  ]
  // The condition is never true, because a setting is never null, so no rows and no columns are returned.
  const text = `select where ${sets.join(' or ')}`
  // Statements of a pipeline run often and only look rows up by key, so planning them each time would gain nothing.
  return ({ org_id, key_hash, worker, user_id, signin }, plans = 'auto') => ({
    name: SCOPE,
    text,
    values: [org_id ?? '', key_hash ?? '', worker ? 'a' : '', user_id ?? '', signin ? 'a' : '', plans],
  })
}
