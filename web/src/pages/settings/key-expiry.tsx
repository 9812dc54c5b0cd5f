// The expiry of a key, with a warning while there is still time to rotate it.
import { Badge, Group } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { useClock } from '../../parts/use-clock.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

const DAY_S = 24 * 60 * 60
/** Earlier than the first notification, so that there is time to plan. */
const WARNING_S = 30 * DAY_S

/** An `expires_at` of 0 means no expiry. */
export function KeyExpiry({ expires_at }: { expires_at: number | null }) {
  const state = useClock(now_ms => describeExpiry((expires_at ?? 0) - now_ms / 1000))
  if (!expires_at) return <>{texts.keys.never}</>
  return (
    <Group gap="xs">
      <RelativeTime at={expires_at} />
      {state === 'expired' && (
        <Badge miw="max-content" color="red">
          {texts.keys.expired}
        </Badge>
      )}
      {state === 'soon' && (
        <Badge miw="max-content" color="yellow" variant="filled" autoContrast>
          {texts.keys.expiresSoon}
        </Badge>
      )}
    </Group>
  )
}

function describeExpiry(left_s: number): 'expired' | 'soon' | 'later' {
  if (left_s <= 0) return 'expired'
  return left_s < WARNING_S ? 'soon' : 'later'
}
