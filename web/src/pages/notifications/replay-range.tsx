// Resends the deliveries of a time range, for example of a night when a receiver was down.
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { readServerSeconds } from '../../live/server-clock.ts'
import { TimeFilter } from '../../ui/filters.tsx'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { ReplayProgress } from './replay-progress.tsx'
import type { DeliverySearch } from './search.ts'
import { deliveriesTexts as texts } from './texts-deliveries.ts'

const DAY_S = 24 * 60 * 60

const STATUS_CHOICES = {
  failed: texts.resend.failed,
  delivered: texts.resend.delivered,
  all: texts.resend.all,
} as const
type StatusChoice = keyof typeof STATUS_CHOICES

interface ReplayRangeProps {
  org: string
  search: DeliverySearch
  onClose: () => void
}

interface Range {
  from: number
  to: number
  status: StatusChoice
}

/** Keeps only the filter by notification. */
function pickNotification({ number, notification_type }: DeliverySearch): DeliverySearch {
  return dropUndefined({ number, notification_type })
}

function useReplay(org: string, search: DeliverySearch) {
  return useChange((range: Range) =>
    unwrap(
      api.POST('/notification-deliveries/{org}/replay', {
        params: { path: { org } },
        body: { ...pickNotification(search), ...range },
      }),
    ),
  )
}

export function ReplayRange({ org, search, onClose }: ReplayRangeProps) {
  useFocusReturn()
  const [now] = useState(() => Math.floor(readServerSeconds()))
  const [from, setFrom] = useState<number | undefined>(search.from ?? now - DAY_S)
  const [to, setTo] = useState<number | undefined>(search.to ?? now)
  const [status, setStatus] = useState<StatusChoice>('failed')
  const replay = useReplay(org, search)
  const isFiltered = search.number !== undefined || search.notification_type !== undefined
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.resend.title}
      closeButtonProps={{ 'aria-label': texts.resend.close }}
    >
      <Stack>
        <Text size="sm">
          {isFiltered ? texts.resend.scopeFiltered : texts.resend.scopeAll} {texts.resend.limits}
        </Text>
        <Group>
          <TimeFilter label={texts.resend.from} value={from} onChange={setFrom} />
          <TimeFilter label={texts.resend.to} value={to} onChange={setTo} />
        </Group>
        <Select
          label={texts.resend.which}
          allowDeselect={false}
          data={Object.entries(STATUS_CHOICES).map(([value, label]) => ({ value, label }))}
          value={status}
          onChange={chosen => chosen && setStatus(chosen as StatusChoice)}
        />
        {replay.error && <ErrorAlert error={replay.error} />}
        {replay.data && replay.variables && (
          <ReplayProgress
            org={org}
            replayed={replay.data.replayed}
            onClose={onClose}
            range={{ ...pickNotification(search), from: replay.variables.from, to: replay.variables.to }}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.resend.close}
          </Button>
          <Button
            loading={replay.isPending}
            disabled={from === undefined || to === undefined || from > to}
            onClick={() => from !== undefined && to !== undefined && replay.mutate({ from, to, status })}
          >
            {texts.resend.submit}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
