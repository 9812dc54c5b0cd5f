// What a browser carries: the cookie that is the session, and the token that proves a page of ours sent the request.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** `__Host-`: only over HTTPS or to this machine, only to this host, for every path. */
export const SESSION_COOKIE = '__Host-waybill'
/** Ties a sign-in to the browser that began it. */
export const BROWSER_COOKIE = '__Host-waybill-browser'

export interface SessionLimits {
  /** After this long without a request the session is over. */
  idle_ms: number
  /** However busy it is, after this long it is over. */
  max_ms: number
}

interface SessionTimes {
  created_at: Date
  last_seen_at: Date
  expires_at: Date
}

/** However busy it is. What the settings say now counts also for a session that was made under longer ones. */
export function computeLatestExpiry(
  { created_at, expires_at }: SessionTimes,
  { max_ms }: SessionLimits,
): Date {
  return new Date(Math.min(created_at.getTime() + max_ms, expires_at.getTime()))
}

/** When it ends unless it is used. */
export function computeExpiry(session: SessionTimes, limits: SessionLimits): Date {
  const idle_until_ms = session.last_seen_at.getTime() + limits.idle_ms
  return new Date(Math.min(idle_until_ms, computeLatestExpiry(session, limits).getTime()))
}

/** Made of the session's secret, so that nothing has to be stored and nobody without the cookie can make it. */
export function computeCsrfToken(session_secret: string): string {
  return createHash('sha256').update(`csrf ${session_secret}`).digest('base64url')
}

export function isCsrfToken(presented: string | undefined, session_secret: string): boolean {
  return isSameToken(presented, computeCsrfToken(session_secret))
}

/** Proves that the form for this token was shown in this browser. Nobody is signed in yet, so no session can. */
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

/** The value of a cookie in a `Cookie` header; undefined when it is not there, or there twice. */
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
