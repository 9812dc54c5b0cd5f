// Says that the server cannot be reached, and since when. The page below keeps what it has.
import { Alert } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { connection } from '../api.ts'
import { RelativeTime } from '../parts/time.tsx'
import { shellTexts as texts } from './texts.ts'

const ICON_SIZE = 18

export function ConnectionBanner() {
  const { status, since_ms } = useSyncExternalStore(connection.subscribe, connection.read)
  if (status === 'up' || since_ms === null) return null
  return (
    <Alert
      className="connection-banner"
      color="orange"
      variant="light"
      role="status"
      py="xs"
      mb="md"
      icon={<IconPlugConnectedX size={ICON_SIZE} aria-hidden="true" />}
    >
      {status === 'offline' ? texts.connection.offline : texts.connection.away} {texts.connection.lost}{' '}
      <RelativeTime at={since_ms / 1000} />.
    </Alert>
  )
}
