// Resends the deliveries of a time range, for example of a night when a receiver was down.
import { Button, Group, Modal, Select, Text } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { readServerSeconds } from '../../live/server-clock.ts'
import { DraftForm } from '../../ui/draft-form.tsx'
import { TimeFilter } from '../../ui/filters.tsx'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import { useDraft } from '../../ui/use-draft.ts'
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
  from: number | undefined
  to: number | undefined
  status: StatusChoice
}

/** Keeps only the filter by notification. */
function pickNotification({ number, notification_type }: DeliverySearch): DeliverySearch {
  return dropUndefined({ number, notification_type })
}

function useRange(org: string, search: DeliverySearch) {
  const [now] = useState(() => Math.floor(readServerSeconds()))
  const initial: Range = { from: search.from ?? now - DAY_S, to: search.to ?? now, status: 'failed' }
  return useDraft({
    initial,
    required: ['from', 'to'],
    validate: ({ from = 0, to = 0 }) => (from > to ? { to: texts.resend.endsBefore } : {}),
    send: ({ from = 0, to = 0, status }) =>
      unwrap(
        api.POST('/notification-deliveries/{org}/replay', {
          params: { path: { org } },
          body: { ...pickNotification(search), from, to, status },
        }),
      ),
  })
}

export function ReplayRange({ org, search, onClose }: ReplayRangeProps) {
  useFocusReturn()
  const { form, answer, sent, ...draft } = useRange(org, search)
  const isFiltered = search.number !== undefined || search.notification_type !== undefined
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.resend.title}
      closeButtonProps={{ 'aria-label': texts.resend.close }}
    >
      <DraftForm
        draft={draft}
        actions={
          <>
            {answer && sent && (
              <ReplayProgress
                org={org}
                replayed={answer.replayed}
                onClose={onClose}
                range={{ ...pickNotification(search), ...dropUndefined({ from: sent.from, to: sent.to }) }}
              />
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {texts.resend.close}
              </Button>
              <Button type="submit" loading={draft.isPending}>
                {texts.resend.submit}
              </Button>
            </Group>
          </>
        }
      >
        <Text size="sm">
          {isFiltered ? texts.resend.scopeFiltered : texts.resend.scopeAll} {texts.resend.limits}
        </Text>
        <Group align="start">
          <TimeFilter label={texts.resend.from} {...form.getInputProps('from')} value={form.values.from} />
          <TimeFilter label={texts.resend.to} {...form.getInputProps('to')} value={form.values.to} />
        </Group>
        <Select
          label={texts.resend.which}
          allowDeselect={false}
          data={Object.entries(STATUS_CHOICES).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('status')}
        />
      </DraftForm>
    </Modal>
  )
}
