// Shows that the server cannot be reached, and since when, or that the page polls. The page below keeps its
// content.
import { Alert, Text } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { connection } from '../api.ts'
import { POLL_MS } from '../live/live.ts'
import { polling } from '../live/start.ts'
import { RelativeTime } from '../parts/time.tsx'
import { shellTexts as texts } from './texts.ts'

const ICON_SIZE = 18

export function ConnectionBanner() {
  const { status, since_ms } = useSyncExternalStore(connection.subscribe, connection.read)
  const isPolling = useSyncExternalStore(polling.subscribe, polling.read)
  if (status === 'up' || since_ms === null) return isPolling ? <PollingNote /> : null
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

function PollingNote() {
  return (
    <Text role="status" size="xs" c="dimmed" mb="xs">
      {texts.connection.polling(POLL_MS / 1000)}
    </Text>
  )
}
