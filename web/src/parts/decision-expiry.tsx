// The verdict of a decision on a control, its expiry, and whether it has expired: the page updates itself
// when the time comes.
import { StateBadge, toState } from './state-badge.tsx'
import { partsTexts as texts } from './texts.ts'
import { RelativeTime } from './time.tsx'
import { useClock } from './use-clock.ts'

/** In epoch seconds; null if it never expires. */
interface Expiring {
  expires_at: number | null
}

const useIsExpired = ({ expires_at }: Expiring): boolean =>
  useClock(now_ms => expires_at !== null && expires_at * 1000 <= now_ms)

export function DecisionBadge({ is_compliant, expires_at }: Expiring & { is_compliant: boolean }) {
  const isExpired = useIsExpired({ expires_at })
  return <StateBadge by="evidence" state={isExpired ? 'EXPIRED' : toState(is_compliant)} />
}

export function DecisionExpiry({ expires_at }: Expiring) {
  const isExpired = useIsExpired({ expires_at })
  if (expires_at === null) return <>{texts.expiry.never}</>
  return (
    <>
      {isExpired ? texts.expiry.expired : texts.expiry.expires} <RelativeTime at={expires_at} />
    </>
  )
}
