// The database as the program uses it, whether the server is the embedded PostgreSQL or the operator's.
import type pg from 'pg'
import type { Database, PoolSettings, StatementObserver } from './database.ts'

export interface Cluster {
  /** Whether the settings give access to the schema owner. Without it, the schema cannot be changed from here. */
  hasOwner(): Promise<boolean>
  /** A direct connection that owns the schema; the caller ends it. */
  connectOwner(): Promise<pg.Client>
  /** The settings of `connectApp`, for another thread. */
  app_settings: PoolSettings
  connectApp(onIdleError: (error: Error) => void, observer?: StatementObserver): Database
  /** The pool of the replica, if the settings name one. */
  connectReplica?: Cluster['connectApp'] | undefined
  /** A direct connection with the application role, for LISTEN; the caller ends it. */
  connectListener(): Promise<pg.Client>
  /** Whether the disk of the database is full, if that can be told without the database. */
  isDiskFull?: (() => Promise<boolean>) | undefined
  stop(): Promise<void>
}
