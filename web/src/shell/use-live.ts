// Follows the changes of the current organization. Pages request their data only after the stream has
// started, or after a short wait if it does not: so no change goes unnoticed in between, and nothing is
// requested twice.
import { useEffect, useState } from 'react'
import { live } from '../live/start.ts'
import { FOLLOW_WAIT_MS } from '../load-first.ts'

/** Whether the page of the organization can be shown. */
export function useLive(org: string | undefined): boolean {
  const [ready, setReady] = useState<string>()
  useEffect(() => {
    let isCurrent = true
    const show = () => isCurrent && setReady(org)
    void live.follow(org).then(show)
    const timer = window.setTimeout(show, FOLLOW_WAIT_MS)
    return () => {
      isCurrent = false
      window.clearTimeout(timer)
    }
  }, [org])
  return org === undefined || ready === org
}
