// The session cookie of browsers, and the CSRF token that proves that a request came from one of our pages.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** `__Host-`: sent only over HTTPS or to localhost, only to this host, for every path. */
export const SESSION_COOKIE = '__Host-waybill'
/** Ties a sign-in to the browser that began it. */
export const BROWSER_COOKIE = '__Host-waybill-browser'

export interface SessionLimits {
  /** The session expires after this time without a request. */
  idle_ms: number
  /** The session expires after this time even if it is used. */
  max_ms: number
}

interface SessionTimes {
  created_at: Date
  last_seen_at: Date
  expires_at: Date
}

/** When it expires even if it is used. Shorter limits in the settings also apply to existing sessions. */
export function computeLatestExpiry(
  { created_at, expires_at }: SessionTimes,
  { max_ms }: SessionLimits,
): Date {
  return new Date(Math.min(created_at.getTime() + max_ms, expires_at.getTime()))
}

/** When it expires unless it is used. */
export function computeExpiry(session: SessionTimes, limits: SessionLimits): Date {
  const idle_until_ms = session.last_seen_at.getTime() + limits.idle_ms
  return new Date(Math.min(idle_until_ms, computeLatestExpiry(session, limits).getTime()))
}

/** Derived from the session's secret, so that nothing is stored and nobody can create it without the cookie. */
export function computeCsrfToken(session_secret: string): string {
  return createHash('sha256').update(`csrf ${session_secret}`).digest('base64url')
}

export function isCsrfToken(presented: string | undefined, session_secret: string): boolean {
  return isSameToken(presented, computeCsrfToken(session_secret))
}

/** Proves that this browser showed the form for this token. There is no session yet that could. */
export function computeFormToken(browser: string, token: string): string {
  return createHmac('sha256', browser).update(`form ${token}`).digest('base64url')
}

export function isFormToken(
  presented: string | undefined,
  browser: string | undefined,
  token: string,
): boolean {
  return browser !== undefined && isSameToken(presented, computeFormToken(browser, token))
}

function isSameToken(presented: string | undefined, own_token: string): boolean {
  const expected = Buffer.from(own_token)
  const given = Buffer.from(presented ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The value of a cookie in a `Cookie` header; undefined if it is missing or occurs twice. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
  return values.length === 1 ? values[0] : undefined
}

export function formatSetCookie(name: string, value: string, max_age_s: number): string {
  return `${name}=${value}; Path=/; Max-Age=${max_age_s}; Secure; HttpOnly; SameSite=Lax`
}
