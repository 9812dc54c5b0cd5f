// What a database fault means to the caller: the one table from SQLSTATE to an answer (docs/operations.md
// prints it). A fault the caller can cure is 4xx, a fault of the moment is 503, anything else is a bug.
import { AppError, conflict, invalid, notFound, unavailable } from '../lib/errors.ts'

const BAD_VALUE = new Set(['22021', '22P02', '22P05', '22003', '22007', '22008', '22001', '2201X', '54000'])
const TRY_AGAIN = new Set(['40001', '40P01', '23505'])
const PASSING = new Set(['53000', '53100', '53200', '53300', '55P03', '57014', '57P01', '57P02', '57P03'])
const CONNECTION_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'])
const CONNECTION_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|Client was closed)/

export interface DatabaseFault {
  code?: string
  constraint?: string
  message: string
}

/** Worth running the whole transaction again: a lost race, not a mistake. */
export function isRetryable(error: unknown): boolean {
  return TRY_AGAIN.has(toFault(error)?.code ?? '')
}

export function isConnectionFault(error: unknown): boolean {
  const fault = toFault(error)
  if (!fault) return false
  return (
    CONNECTION_ERRORS.has(fault.code ?? '') ||
    fault.code?.startsWith('08') === true ||
    PASSING.has(fault.code ?? '') ||
    CONNECTION_MESSAGES.test(fault.message)
  )
}

/** The answer for a database fault, or undefined when the error is not one we know: then it is a bug. */
export function translateDatabaseFault(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  const fault = toFault(error)
  if (!fault) return undefined
  if (isConnectionFault(error)) return unavailable()
  const code = fault.code ?? ''
  if (BAD_VALUE.has(code)) return invalid({ body: 'A value cannot be stored as given' })
  if (code === '23505') return conflict('Another request stored the same thing at the same time; try again')
  if (code === '23503') return notFound('Something this request refers to does not exist')
  if (code === '40001' || code === '40P01') return unavailable()
  return undefined
}

/** A 4xx that came from the database and not from validation: a validation rule of ours is missing. */
export function revealsMissingValidation(error: unknown): boolean {
  return BAD_VALUE.has(toFault(error)?.code ?? '')
}

function toFault(error: unknown): DatabaseFault | undefined {
  return error instanceof Error ? (error as Error & DatabaseFault) : undefined
}
