// Sends the deliveries of a time again, such as those of a night in which a receiver was down.
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { TimeFilter } from '../../ui/filters.tsx'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { ReplayProgress } from './replay-progress.tsx'
import type { DeliverySearch } from './routes.ts'

const DAY_S = 24 * 60 * 60

const WHICH = { failed: 'Those that failed', delivered: 'Those that arrived', all: 'All' } as const
type Which = keyof typeof WHICH

interface ReplayRangeProps {
  org: string
  search: DeliverySearch
  onClose: () => void
}

interface Range {
  from: number
  to: number
  status: Which
}

/** The filter by notification, and none of the others. */
function ofNotification({ number, notification_type }: DeliverySearch): DeliverySearch {
  return dropUndefined({ number, notification_type })
}

function useReplay(org: string, search: DeliverySearch) {
  return useChange((range: Range) =>
    unwrap(
      api.POST('/notification-deliveries/{org}/replay', {
        params: { path: { org } },
        body: { ...ofNotification(search), ...range },
      }),
    ),
  )
}

export function ReplayRange({ org, search, onClose }: ReplayRangeProps) {
  useFocusReturn()
  const [now] = useState(() => Math.floor(Date.now() / 1000))
  const [from, setFrom] = useState<number | undefined>(search.from ?? now - DAY_S)
  const [to, setTo] = useState<number | undefined>(search.to ?? now)
  const [status, setStatus] = useState<Which>('failed')
  const replay = useReplay(org, search)
  const isFiltered = search.number !== undefined || search.notification_type !== undefined
  return (
    <Modal opened onClose={onClose} title="Send a range again" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack>
        <Text size="sm">
          {isFiltered ? 'Messages of the notification that you filter by' : 'Messages of all notifications'},
          at most 30 days and 10,000 at once. Each keeps its id, so that a receiver can tell it has it.
        </Text>
        <Group>
          <TimeFilter label="Made from" value={from} onChange={setFrom} />
          <TimeFilter label="Made until" value={to} onChange={setTo} />
        </Group>
        <Select
          label="Which"
          allowDeselect={false}
          data={Object.entries(WHICH).map(([value, label]) => ({ value, label }))}
          value={status}
          onChange={chosen => chosen && setStatus(chosen as Which)}
        />
        {replay.error && <ErrorAlert error={replay.error} />}
        {replay.data && replay.variables && (
          <ReplayProgress
            org={org}
            replayed={replay.data.replayed}
            onClose={onClose}
            made={{ ...ofNotification(search), from: replay.variables.from, to: replay.variables.to }}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            loading={replay.isPending}
            disabled={from === undefined || to === undefined || from > to}
            onClick={() => from !== undefined && to !== undefined && replay.mutate({ from, to, status })}
          >
            Send again
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
