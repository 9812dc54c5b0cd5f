// What becomes of the messages of a time that are sent again: how many still wait, asked until none does.
import { Alert, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { formatCount } from '../../ui/format-count.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { MOST_COUNTED, waitingQuery } from './queries.ts'
import type { DeliverySearch } from './routes.ts'

interface ReplayProgressProps {
  org: string
  replayed: number
  /** Which messages: when they were made, and of which notification. */
  made: DeliverySearch
  onClose: () => void
}

export function ReplayProgress({ org, replayed, made, onClose }: ReplayProgressProps) {
  const waiting = useQuery({ ...waitingQuery(org, made), enabled: replayed > 0 })
  if (replayed === 0) {
    return (
      <Alert color="blue" role="status">
        No message of this time is as you chose: nothing is sent again.
      </Alert>
    )
  }
  return (
    <Alert color="blue" role="status">
      <Stack gap="xs">
        <Text>{formatCount(replayed, 'message')} sent again.</Text>
        {waiting.error && <ErrorAlert error={waiting.error} />}
        {waiting.data && <Waiting {...waiting.data} replayed={replayed} />}
        <PageLink
          to="/$org/settings/notifications/deliveries"
          params={{ org }}
          search={made}
          onClick={onClose}
        >
          See what becomes of them
        </PageLink>
      </Stack>
    </Alert>
  )
}

function Waiting({ count, hasMore, replayed }: { count: number; hasMore: boolean; replayed: number }) {
  const done = Math.max(0, replayed - count)
  return (
    <>
      {!hasMore && <Progress value={(100 * done) / replayed} aria-label="Messages that are through" />}
      <Text size="sm">
        {hasMore
          ? `More than ${MOST_COUNTED} still wait.`
          : count === 0
            ? 'None of this time waits any more.'
            : `${formatCount(count, 'message')} of this time still waiting for an answer or for the next attempt.`}
      </Text>
    </>
  )
}
