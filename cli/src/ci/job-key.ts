// The key of a process that has none but can prove its identity: exchanged on first use, kept in memory, and
// replaced before it expires.
import { exchangeToken, type KeyRequest } from './exchange-token.ts'
import type { CiKey } from './stored-key.ts'
import { describeTokenSource } from './tokens.ts'

const REFRESH_BEFORE_MS = 60_000

/** Undefined if the process has no identity token, or names no organization. */
export function makeJobKey(request: KeyRequest, now_ms: () => number): (() => Promise<CiKey>) | undefined {
  if (request.org === '' || describeTokenSource(request) === undefined) return undefined
  let current: Promise<CiKey> | undefined
  const start = () => {
    const next = exchangeToken(request)
    current = next
    // The next call tries again.
    next.catch(() => {
      if (current === next) current = undefined
    })
    return next
  }
  return async () => {
    const known = await (current ?? start())
    const left_ms = known.expires_at * 1000 - now_ms()
    if (left_ms > REFRESH_BEFORE_MS) return known
    try {
      return await start()
    } catch (error) {
      // A pod gets its next token a little later; until then the key still works.
      if (left_ms <= 0) throw error
      current = Promise.resolve(known)
      return known
    }
  }
}
