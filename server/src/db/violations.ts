// Maps database errors to responses: the only table from SQLSTATE to a status. An error that the caller can fix is a
// 4xx, a temporary one is a 503, anything else is a bug.
import { AppError, conflict, databaseFull, invalid, notFound, timedOut, unavailable } from '../lib/errors.ts'
import type { TimeLimits } from './time-limits.ts'

const BAD_VALUE = new Set(['22021', '22P02', '22P05', '22003', '22007', '22008', '22001', '2201X', '54000'])
const RETRYABLE = new Set(['40001', '40P01', '23505'])
/** Including a primary that became a standby: a new connection may find the new primary. */
const SERVER_IS_AWAY = new Set(['25006', '57P01', '57P02', '57P03'])
/** The statement failed, and its connection can serve the next one. */
const TEMPORARY = new Set(['53000', '53200', '53300', '40001', '40P01'])
export const DISK_FULL_CODE = '53100'
const LOCK_TIMEOUT = '55P03'
const CANCELED = '57014'
const CONNECTION_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'])
const CONNECTION_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|Client was closed)/

const describeLockWait = (limits: TimeLimits | undefined) =>
  `Another request has locked what this one needs for longer than it may wait (lock_timeout${formatLimit(limits?.lock_ms)}); the change was rolled back. Try again`
const describeStatement = (limits: TimeLimits | undefined) =>
  `The database reached the time limit for one statement (statement_timeout${formatLimit(limits?.statement_ms)}); the change was rolled back. ` +
  'Request less at once, such as a smaller page or a shorter period, or try again; the operator can raise WAYBILL_STATEMENT_TIMEOUT'

const formatLimit = (ms: number | undefined) => (ms === undefined ? '' : `, ${ms / 1000} s`)

export interface DatabaseFault {
  code?: string
  constraint?: string
  message: string
  /** The limits in force, if one of them was reached. */
  limits?: TimeLimits
}

/** True if the transaction lost a race and is worth running again. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(toFault(error)?.code ?? '')
}

/** True if PostgreSQL rejected the statement because an earlier one failed: that error is the cause. */
export function isFromFailedTransaction(error: unknown): boolean {
  return toFault(error)?.code === '25P02'
}

/** True if the connection must not be used again. Reaching a time limit does not affect the connection. */
export function isConnectionFault(error: unknown): boolean {
  const fault = toFault(error)
  if (!fault) return false
  return (
    CONNECTION_ERRORS.has(fault.code ?? '') ||
    fault.code?.startsWith('08') === true ||
    SERVER_IS_AWAY.has(fault.code ?? '') ||
    CONNECTION_MESSAGES.test(fault.message)
  )
}

export const DISK_FULL = 'The disk of the database is full: make room for PostgreSQL'

/** For the operator, if the database cannot do its work; undefined if something else is wrong. */
export function describeFault(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === DISK_FULL_CODE) return DISK_FULL
  // A socket file may be missing, and so may any other file.
  const isOther = code === 'ENOENT' && syscall !== 'connect'
  return isConnectionFault(error) && !isOther ? 'The database does not answer' : undefined
}

/** Adds the limits in force to the error, so that the response can name the one that was reached. */
export function addLimits(error: unknown, limits: TimeLimits): unknown {
  const fault = toFault(error)
  if (fault?.code === LOCK_TIMEOUT || fault?.code === CANCELED) fault.limits ??= limits
  return error
}

/** Returns undefined for an unknown error, which is a bug. */
export function translateDatabaseFault(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  const fault = toFault(error)
  if (!fault) return undefined
  const code = fault.code ?? ''
  if (code === DISK_FULL_CODE) return databaseFull()
  if (isConnectionFault(error) || TEMPORARY.has(code)) return unavailable()
  if (code === LOCK_TIMEOUT) return timedOut(describeLockWait(fault.limits))
  // This includes statements that an operator canceled, which PostgreSQL reports with the same code.
  if (code === CANCELED)
    return /statement timeout/.test(fault.message) ? timedOut(describeStatement(fault.limits)) : unavailable()
  if (BAD_VALUE.has(code)) return invalid({ body: 'A value cannot be stored as given' })
  if (code === '23505') return conflict('Another request stored the same thing at the same time; try again')
  if (code === '23503') return notFound('Something this request refers to does not exist')
  return undefined
}

/** True if the database rejected a value that our validation should have rejected. */
export function revealsMissingValidation(error: unknown): boolean {
  return BAD_VALUE.has(toFault(error)?.code ?? '')
}

function toFault(error: unknown): DatabaseFault | undefined {
  return error instanceof Error ? (error as Error & DatabaseFault) : undefined
}
