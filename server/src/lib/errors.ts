// The error class of the API, created only by the named constructors below. Handlers throw it, and
// `http/error-response.ts` turns it into a response. Any other exception is a bug and becomes a 500.

export type FieldErrors = Record<string, string>

export class AppError extends Error {
  readonly status: number
  readonly errors: FieldErrors | undefined
  readonly headers: Record<string, string>

  constructor(status: number, message: string, errors?: FieldErrors, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.errors = errors
    this.headers = headers
  }
}

/** The organization is served by another cell. */
export class OrgMoved extends AppError {}

/** The evidence store failed. `evidence/watched.ts` logs it once when it begins, instead of once for each request. */
export class EvidenceFault extends AppError {
  /** For the operator: the log and /ready. */
  readonly reason: string

  constructor(status: 503 | 507, message: string, { reason, cause, retry_after }: FaultDetails) {
    super(status, message, undefined, { 'retry-after': retry_after })
    this.reason = reason
    this.cause = cause
  }
}

interface FaultDetails {
  reason: string
  cause: unknown
  retry_after: string
}

/** What is stored is not what was sent, and nobody gets it as if it were. `evidence/watched.ts` raises the alarm. */
export class EvidenceDamaged extends AppError {
  /** For the operator: the log. */
  readonly reason: string

  constructor(sha256: string, reason: string) {
    super(
      500,
      `The evidence ${sha256} is damaged: ${reason}. Report the same file again, or ask the operator to restore it`,
    )
    this.reason = reason
  }
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const RETRY_AFTER_SECONDS = '1'
/** Longer, because somebody must make room first. */
const FULL_RETRY_AFTER_SECONDS = '30'
const STORE_RETRY_AFTER_SECONDS = '5'
const ROOM_RETRY_AFTER_SECONDS = { client: '2', process: '5' }
const FROZEN_RETRY_AFTER_SECONDS = '2'

export const invalid = (errors: FieldErrors): AppError =>
  new AppError(400, 'Input payload validation failed', errors)

export const badRequest = (message: string): AppError => new AppError(400, message)

export const unauthenticated = (message: string): AppError =>
  new AppError(401, message, undefined, { 'www-authenticate': 'Bearer' })

export const forbidden = (message: string): AppError => new AppError(403, message)

export const accessDenied = (path: string): AppError => forbidden(`Access denied to ${path}`)

export const roleRequired = (): AppError => forbidden("You don't have permission to access this resource")

export const ssoRequired = (org: string): AppError =>
  forbidden(
    `Organization '${org}' requires single sign-on. Sign in through the identity provider: /sign-in?sso=1`,
  )

export const featureDisabled = (feature: string, org: string): AppError =>
  forbidden(`${capitalize(feature)} are not enabled for organization '${org}'`)

export const notFound = (message: string): AppError => new AppError(404, message)

export const conflict = (message: string): AppError => new AppError(409, message)

/** The resource existed and was removed for good. */
export const gone = (message: string): AppError => new AppError(410, message)

export const unprocessable = (message: string): AppError => new AppError(422, message)

export const tooLarge = (message: string, errors?: FieldErrors): AppError =>
  new AppError(413, message, errors)

/** Another service has the operation, and this one does not. */
export const notImplemented = (message: string): AppError => new AppError(501, message)

/** Not 413: the request is valid and will fit once there is space, so a client must not discard it. */
export const outOfStorage = (message: string): AppError => new AppError(507, message)

export const evidenceFull = (cause: unknown): EvidenceFault =>
  new EvidenceFault(507, 'The evidence store is full; try again when the operator has made room', {
    reason: 'the evidence store is full',
    cause,
    retry_after: FULL_RETRY_AFTER_SECONDS,
  })

export const evidenceAway = (code: string, cause: unknown): EvidenceFault =>
  new EvidenceFault(503, 'The evidence store cannot be used at the moment; try again', {
    reason: `the evidence store cannot be used: ${code}`,
    cause,
    retry_after: STORE_RETRY_AFTER_SECONDS,
  })

/** `reason` names no bucket, key or host. `lasting`: until the operator does something. */
export const evidenceFailed = (reason: string, { cause, lasting }: FailedStore): EvidenceFault =>
  new EvidenceFault(
    503,
    `${capitalize(reason)}; try again${lasting ? ' when the operator has mended it' : ''}`,
    {
      reason,
      cause,
      retry_after: lasting ? FULL_RETRY_AFTER_SECONDS : STORE_RETRY_AFTER_SECONDS,
    },
  )

export const evidenceNotKept = (cause: unknown): EvidenceFault =>
  evidenceFailed('the evidence store confirmed an upload, and has not kept what was sent', {
    cause,
    lasting: true,
  })

interface FailedStore {
  cause: unknown
  lasting: boolean
}

export const unsupportedMediaType = (message: string): AppError => new AppError(415, message)

export const tooManyRequests = (retry_after_seconds: number): AppError =>
  new AppError(429, 'Too many requests; slow down', undefined, { 'retry-after': String(retry_after_seconds) })

export const overQuota = (message: string, retry_after_seconds: number): AppError =>
  new AppError(429, message, undefined, { 'retry-after': String(retry_after_seconds) })

/** What clients leave unread, or send slowly, stays in memory. `whose`: the bound that is reached. */
export const noRoom = (whose: 'client' | 'process'): AppError =>
  whose === 'client'
    ? new AppError(
        429,
        'Earlier responses to you have not been read yet, and no more of them are kept; read them first, or ask for less at once',
        undefined,
        { 'retry-after': ROOM_RETRY_AFTER_SECONDS.client },
      )
    : new AppError(503, 'The server keeps as many unread responses as it may; try again', undefined, {
        'retry-after': ROOM_RETRY_AFTER_SECONDS.process,
      })

/** Each open stream holds a connection, so no caller gets all of them. */
export const tooManyStreams = (
  status: 429 | 503,
  who_has: string,
  open: number,
  retry_after_seconds: number,
): AppError =>
  new AppError(status, `${who_has} ${open} streams open, as many as are allowed; close some`, undefined, {
    'retry-after': String(retry_after_seconds),
  })

/** The machine gave the work no processor time, so its result is unknown. */
export const tooBusyToEvaluate = (retry_after_seconds: number): AppError =>
  new AppError(503, 'The server is too busy to evaluate this at the moment; try again', undefined, {
    'retry-after': String(retry_after_seconds),
  })

export const issuerUnavailable = (retry_after_seconds: number): AppError =>
  new AppError(503, 'The issuer of the token is not responding; try again', undefined, {
    'retry-after': String(retry_after_seconds),
  })

export const unavailable = (): AppError =>
  new AppError(503, 'The database is not available at the moment; try again', undefined, {
    'retry-after': RETRY_AFTER_SECONDS,
  })

/** Never a 4xx: a client must not drop a report, only send it again. */
export const orgFrozen = (): AppError =>
  new AppError(
    503,
    'The organization is being moved and accepts no changes for the moment; try again',
    undefined,
    {
      'retry-after': FROZEN_RETRY_AFTER_SECONDS,
    },
  )

export const orgMoved = (): OrgMoved =>
  new OrgMoved(
    503,
    'The organization has moved to another cell, and this one no longer serves it; try again',
    undefined,
    {
      'retry-after': STORE_RETRY_AFTER_SECONDS,
    },
  )

export const databaseFull = (): AppError =>
  new AppError(
    503,
    'The disk of the database is full; try again when the operator has made room',
    undefined,
    {
      'retry-after': FULL_RETRY_AFTER_SECONDS,
    },
  )

/** Not the client's fault, and the work may still finish: a retry needs the same Idempotency-Key. */
export const tookTooLong = (limit_ms: number): AppError =>
  new AppError(
    503,
    `The server did not finish the request within ${limit_ms / 1000} s, its limit for a request of this size; send less at once, or try again, with the same Idempotency-Key if it had one`,
    undefined,
    { 'retry-after': STORE_RETRY_AFTER_SECONDS },
  )

/** A time limit of the database; the message says which one and what to do. */
export const timedOut = (message: string): AppError =>
  new AppError(503, message, undefined, { 'retry-after': RETRY_AFTER_SECONDS })

/**
 * A log's checkpoint is not signed; the operator must fix the cause. `frozen`: the log no longer contains everything
 * that was signed. `unanchored`: no checkpoint has reached the evidence store for long.
 */
export class LogUnsigned extends AppError {
  readonly state: 'frozen' | 'unanchored'
  readonly reason: string

  constructor(state: LogUnsigned['state'], reason: string) {
    const message = `The log cannot be signed: ${reason}. Nothing is lost that was written since; an operator must look at it`
    super(503, message, undefined, { 'retry-after': RETRY_AFTER_SECONDS })
    this.state = state
    this.reason = reason
  }
}
