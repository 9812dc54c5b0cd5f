// The expiry of a key, with a warning while there is still time to rotate it.
import { Badge, Group } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { accountsTexts as texts } from './texts-accounts.ts'

const DAY_S = 24 * 60 * 60
/** Earlier than the first notification, so that there is time to plan. */
const WARNING_S = 30 * DAY_S

/** An `expires_at` of 0 means no expiry. */
export function KeyExpiry({ expires_at }: { expires_at: number | null }) {
  if (!expires_at) return <>{texts.keys.never}</>
  const left_s = expires_at - Date.now() / 1000
  return (
    <Group gap="xs">
      <RelativeTime at={expires_at} />
      {left_s <= 0 && (
        <Badge miw="max-content" color="red">
          {texts.keys.expired}
        </Badge>
      )}
      {left_s > 0 && left_s < WARNING_S && (
        <Badge miw="max-content" color="yellow" variant="filled" autoContrast>
          {texts.keys.expiresSoon}
        </Badge>
      )}
    </Group>
  )
}
