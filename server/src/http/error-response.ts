// The only place where an error becomes a response: always `{message}` and, for validation, `errors`.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { revealsMissingValidation, translateDatabaseFault } from '../db/violations.ts'
import { AppError, EvidenceFault, invalid, tooLarge, unsupportedMediaType } from '../lib/errors.ts'

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = startErrorReply(error, request, reply)
  reply.type('application/json; charset=utf-8').send(JSON.stringify(toErrorBody(answer)))
}

/**
 * Logs the error if necessary and sets status and headers. The caller writes the body, because SCIM has another
 * format.
 */
export function startErrorReply(error: unknown, request: FastifyRequest, reply: FastifyReply): AppError {
  if (isCutOff(request)) {
    // Nobody gets the response. Otherwise the reset connection would look like a database connection's.
    request.log.info(
      { request_id: request.id, method: request.method, route: request.routeOptions.url },
      'the client disconnected before its request was complete',
    )
    reply.code(400)
    return new AppError(400, 'The connection ended before the whole request arrived')
  }
  const answer = toAppError(error)
  if (answer.status >= 500 && !(answer instanceof EvidenceFault))
    request.log.error({ err: error, request_id: request.id }, 'request failed')
  if (revealsMissingValidation(error)) {
    request.log.warn(
      { err: error, request_id: request.id },
      'a validation rule is missing: the database rejected the write',
    )
  }
  forgetFile(reply)
  // The unread rest of the body is still on the connection, so the connection cannot be reused.
  if (answer.status === 413) reply.header('connection', 'close')
  reply.headers(answer.headers).code(answer.status)
  return answer
}

/** Otherwise a browser would save the error as the file that it is about. */
function forgetFile(reply: FastifyReply): void {
  reply.removeHeader('content-disposition')
  if (!reply.raw.headersSent) reply.raw.removeHeader('content-disposition')
}

export function toErrorBody(answer: AppError): { message: string; errors?: Record<string, string> } {
  return answer.errors ? { message: answer.message, errors: answer.errors } : { message: answer.message }
}

/** Whether the connection ended before the whole body arrived. */
function isCutOff({ raw }: FastifyRequest): boolean {
  return !raw.complete && raw.errored !== null && 'code' in raw.errored && raw.errored.code === 'ECONNRESET'
}

function toAppError(error: unknown): AppError {
  return (
    translateDatabaseFault(error) ??
    translateFrameworkError(error as FastifyError) ??
    new AppError(500, 'Internal server error')
  )
}

/** Translates Fastify's own errors into our messages. */
function translateFrameworkError(error: FastifyError): AppError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return tooLarge('The request body is larger than allowed')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType('The content type is not supported here; send application/json')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return invalid({ body: 'The body does not have the announced length' })
    case 'FST_ERR_BAD_URL':
      return new AppError(400, 'The URL is malformed')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError(414, 'The URL is longer than allowed')
    default: {
      const status = error.statusCode ?? 500
      return status >= 400 && status < 500
        ? new AppError(status, 'The request cannot be understood')
        : undefined
    }
  }
}
