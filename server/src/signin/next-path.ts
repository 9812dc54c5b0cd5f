// Where somebody goes after signing in: a path of ours, or the front page. Never anywhere else, however it is written.
import { parseUrl } from '../lib/url.ts'

const MAX_LENGTH = 2_048
export const FRONT_PAGE = '/'
/** Browsers drop tabs and line ends from addresses and read a backslash as a slash. */
const TRICKS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\\s]/u
/** Only to compare with: nobody can own a name below `.invalid`. */
const HERE = 'http://waybill.invalid'

/** The path as a browser will understand it, or the front page when it leads away or cannot be understood. */
export function toLocalPath(input: unknown): string {
  if (typeof input !== 'string' || input.length > MAX_LENGTH) return FRONT_PAGE
  if (!input.startsWith('/') || TRICKS.test(input) || !parseUrl(input, HERE)) return FRONT_PAGE
  const { origin, username, password, pathname, search, hash } = new URL(input, HERE)
  if (origin !== HERE || username !== '' || password !== '') return FRONT_PAGE
  // Dots are resolved by now: `/..//elsewhere` has become `//elsewhere`.
  if (pathname.startsWith('//')) return FRONT_PAGE
  return pathname + search + hash
}
