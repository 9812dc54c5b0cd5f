// The path to open after sign-in: always one on this host, otherwise the front page, however it is written.
import { parseUrl } from '../lib/url.ts'

const MAX_LENGTH = 2_048
export const FRONT_PAGE = '/'
/** Browsers drop tabs and line breaks from URLs and read a backslash as a slash. */
const TRICKS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\\s]/u
/** Only for comparison: nobody can own a name below `.invalid`. */
const OWN_ORIGIN = 'http://waybill.invalid'

/** The path as a browser will interpret it, or the front page if it leads to another host or cannot be parsed. */
export function toLocalPath(input: unknown): string {
  if (typeof input !== 'string' || input.length > MAX_LENGTH) return FRONT_PAGE
  if (!input.startsWith('/') || TRICKS.test(input) || !parseUrl(input, OWN_ORIGIN)) return FRONT_PAGE
  const { origin, username, password, pathname, search, hash } = new URL(input, OWN_ORIGIN)
  if (origin !== OWN_ORIGIN || username !== '' || password !== '') return FRONT_PAGE
  // Dots are resolved by now: `/..//elsewhere` has become `//elsewhere`.
  if (pathname.startsWith('//')) return FRONT_PAGE
  return pathname + search + hash
}
