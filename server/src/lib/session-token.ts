// What a browser carries: the cookie that is the session, and the token that proves a page of ours sent the request.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** `__Host-`: only over HTTPS or to this machine, only to this host, for every path. */
export const SESSION_COOKIE = '__Host-waybill'
/** Ties a sign-in to the browser that began it. */
export const BROWSER_COOKIE = '__Host-waybill-browser'

/** After this long without a request the session is over. */
export const IDLE_MS = 12 * 60 * 60 * 1000
/** However busy it is, after this long it is over. */
export const ABSOLUTE_MS = 7 * 24 * 60 * 60 * 1000

/** Made of the session's secret, so that nothing has to be stored and nobody without the cookie can make it. */
export function csrfTokenOf(session_secret: string): string {
  return createHash('sha256').update(`csrf ${session_secret}`).digest('base64url')
}

export function isCsrfToken(presented: string | undefined, session_secret: string): boolean {
  return isSame(presented, csrfTokenOf(session_secret))
}

/** Proves that the form for this token was shown in this browser. Nobody is signed in yet, so no session can. */
export function formTokenOf(browser: string, token: string): string {
  return createHmac('sha256', browser).update(`form ${token}`).digest('base64url')
}

export function isFormToken(
  presented: string | undefined,
  browser: string | undefined,
  token: string,
): boolean {
  return browser !== undefined && isSame(presented, formTokenOf(browser, token))
}

function isSame(presented: string | undefined, wanted: string): boolean {
  const expected = Buffer.from(wanted)
  const given = Buffer.from(presented ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The value of a cookie in a `Cookie` header; undefined when it is not there, or there twice. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
  return values.length === 1 ? values[0] : undefined
}

export function setCookie(name: string, value: string, max_age_s: number): string {
  return `${name}=${value}; Path=/; Max-Age=${max_age_s}; Secure; HttpOnly; SameSite=Lax`
}
