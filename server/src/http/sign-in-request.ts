// Reads browser requests to the sign-in endpoints, and writes the responses.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../api/operation.ts'
import { AppError, invalid, unauthenticated } from '../lib/errors.ts'
import type { Secrets } from '../lib/secrets.ts'
import { BROWSER_COOKIE, formatSetCookie, readCookie, SESSION_COOKIE } from '../lib/session-token.ts'
import type { StartedSession, Visitor } from '../signin/session.ts'
import type { Identity } from './authenticate.ts'
import type { Gate } from './dispatch.ts'

export const MAX_BODY_BYTES = 16 * 1024
/** A browser that returns within this time is recognized. */
const BROWSER_COOKIE_AGE_S = 180 * 24 * 60 * 60
const BROWSER_SECRET = /^[0-9A-Za-z]{43}$/
const FORM = 'application/x-www-form-urlencoded'
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export function acceptForms(server: FastifyInstance): void {
  server.addContentTypeParser(
    FORM,
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: unknown) => {
      const fields = [...new URLSearchParams(String(body))]
      const form = Object.fromEntries(fields)
      if (Object.keys(form).length < fields.length) throw invalid({ body: 'A field was sent twice' })
      return form
    },
  )
}

export function isForm(request: FastifyRequest): boolean {
  return request.headers['content-type']?.toLowerCase().startsWith(FORM) === true
}

/** Whether a person will see the response: a form was sent, or the browser navigated there. */
export function acceptsPage(request: FastifyRequest): boolean {
  return isForm(request) || request.headers.accept?.includes('text/html') === true
}

export function readQuery(request: FastifyRequest): URLSearchParams {
  const start = request.url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : request.url.slice(start + 1))
}

export function readVisitor(request: FastifyRequest): Visitor {
  return {
    browser: readBrowser(request),
    session_secret: readCookie(request.headers.cookie, SESSION_COOKIE),
    user_agent: request.headers['user-agent'] ?? '',
    address: request.known.address,
    request_id: request.id,
  }
}

/** The secret that binds a sign-in to this browser: its existing one, or a new one. */
export function ensureBrowser(request: FastifyRequest, reply: FastifyReply, secrets: Secrets): string {
  const browser = readBrowser(request) ?? secrets.createPassword()
  reply.header('set-cookie', formatSetCookie(BROWSER_COOKIE, browser, BROWSER_COOKIE_AGE_S))
  return browser
}

function readBrowser(request: FastifyRequest): string | undefined {
  const browser = readCookie(request.headers.cookie, BROWSER_COOKIE)
  return browser !== undefined && BROWSER_SECRET.test(browser) ? browser : undefined
}

export function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply
    .code(status)
    .header('content-security-policy', PAGE_POLICY)
    .type('text/html; charset=utf-8')
    .send(page)
}

/** A form cannot send headers, so the token is a field. */
export function readCsrfToken(request: FastifyRequest): { csrf_token: string | undefined } {
  const header = request.headers['x-csrf-token']
  const { csrf_token: field } = (isForm(request) ? request.body : {}) as { csrf_token?: string }
  return { csrf_token: typeof header === 'string' ? header : field }
}

export function completeSignIn(
  reply: FastifyReply,
  { forgetCaller, session_limits }: Deps,
  entered: StartedSession,
): FastifyReply {
  const { left_user_id, user_id, is_break_glass } = entered
  if (left_user_id !== undefined) forgetCaller(left_user_id)
  const { id: request_id, known, log } = reply.request
  if (is_break_glass) log.warn({ request_id, user_id, address: known.address }, 'a break-glass sign-in')
  reply.header(
    'set-cookie',
    formatSetCookie(SESSION_COOKIE, entered.session_secret, session_limits.max_ms / 1000),
  )
  return reply.redirect(entered.next_path, 303)
}

/** Sends people a page, and programs the error. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  error: AppError,
  makePage: () => string,
): FastifyReply {
  if (!isForm(request)) throw error
  return sendPage(reply, error.status, makePage())
}

/**
 * The browser's session, under the same rules as elsewhere; with `unsafe`, one of the session's pages must have sent
 * the request.
 */
export async function requireSession(
  { authenticator }: Gate,
  request: FastifyRequest,
  unsafe?: { csrf_token: string | undefined },
): Promise<{ identity: Identity; secret: string }> {
  const { authorization, cookie } = request.headers
  const { address } = request.known
  const is_safe = unsafe === undefined
  const presented = { authorization, cookie, csrf_token: unsafe?.csrf_token, is_safe, address }
  const identity = await authenticator.identify(presented, undefined, {
    visitors: undefined,
    is_fresh: false,
    is_use: true,
  })
  const secret = readCookie(cookie, SESSION_COOKIE)
  if (identity.caller.credential !== 'session' || secret === undefined) {
    throw unauthenticated('There is no session')
  }
  return { identity, secret }
}

export function ignoreUnauthenticated(error: unknown): undefined {
  if (error instanceof AppError && error.status === 401) return undefined
  throw error
}
