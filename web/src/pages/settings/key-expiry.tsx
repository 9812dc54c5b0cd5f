// When a key ends, with a warning while there is still time to rotate it.
import { Badge, Group } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'

const DAY_S = 24 * 60 * 60
/** Earlier than the first message about it, so that there is time to plan. */
const WARN_S = 30 * DAY_S

/** `expires_at` of 0 means never. */
export function KeyExpiry({ expires_at }: { expires_at: number | null }) {
  if (!expires_at) return <>never</>
  const left_s = expires_at - Date.now() / 1000
  return (
    <Group gap="xs">
      <RelativeTime at={expires_at} />
      {left_s <= 0 && (
        <Badge miw="max-content" color="red">
          Expired
        </Badge>
      )}
      {left_s > 0 && left_s < WARN_S && (
        <Badge miw="max-content" color="yellow" variant="filled" autoContrast>
          Ends soon
        </Badge>
      )}
    </Group>
  )
}
