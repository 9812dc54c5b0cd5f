// The progress of a resend: polls how many messages are still waiting until none is.
import { Alert, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { MAX_COUNTED, waitingQuery } from './queries.ts'
import type { DeliverySearch } from './search.ts'
import { deliveriesTexts as texts } from './texts-deliveries.ts'

interface ReplayProgressProps {
  org: string
  replayed: number
  /** Selects the messages by time and notification. */
  range: DeliverySearch
  onClose: () => void
}

export function ReplayProgress({ org, replayed, range, onClose }: ReplayProgressProps) {
  const waiting = useQuery({ ...waitingQuery(org, range), enabled: replayed > 0 })
  if (replayed === 0) {
    return (
      <Alert color="blue" role="status">
        {texts.resend.nothing}
      </Alert>
    )
  }
  return (
    <Alert color="blue" role="status">
      <Stack gap="xs">
        <Text>{texts.resend.resent(replayed)}</Text>
        {waiting.error && <ErrorAlert error={waiting.error} />}
        {waiting.data && <Waiting {...waiting.data} replayed={replayed} />}
        <PageLink
          to="/$org/settings/notifications/deliveries"
          params={{ org }}
          search={range}
          onClick={onClose}
        >
          {texts.resend.seeDeliveries}
        </PageLink>
      </Stack>
    </Alert>
  )
}

function Waiting({ count, hasMore, replayed }: { count: number; hasMore: boolean; replayed: number }) {
  const finished = Math.max(0, replayed - count)
  return (
    <>
      {!hasMore && <Progress value={(100 * finished) / replayed} aria-label={texts.resend.progress} />}
      <Text size="sm">
        {hasMore
          ? texts.resend.manyWaiting(MAX_COUNTED)
          : count === 0
            ? texts.resend.noneWaiting
            : texts.resend.waiting(count)}
      </Text>
    </>
  )
}
