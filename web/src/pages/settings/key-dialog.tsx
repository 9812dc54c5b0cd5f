// The frame of a dialog about a key, and the fields and buttons that they share.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { formatFutureDay } from '../../ui/local-time.ts'

/** As the server writes an end that never comes. */
export const NEVER = 0

interface LastDayProps {
  label: string
  description: string
  day: string
  /** The last one that can be chosen, if there is one. */
  latest?: string
  error: string | undefined
  onChange: (day: string) => void
}

export function LastDay({ label, description, day, latest, error, onChange }: LastDayProps) {
  return (
    <TextInput
      type="date"
      label={label}
      description={description}
      value={day}
      error={error}
      min={formatFutureDay(0)}
      max={latest}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

export function KeyDialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ReactNode
}) {
  useFocusReturn()
  return (
    <Modal
      opened
      title={title}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      onClose={onClose}
    >
      <Stack>{children}</Stack>
    </Modal>
  )
}

interface ActionsProps {
  action: string
  isPending: boolean
  onClose: () => void
}

export function Actions({ action, isPending, onClose }: ActionsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <Button type="submit" loading={isPending}>
        {action}
      </Button>
    </Group>
  )
}

export function Done({ onClose }: { onClose: () => void }) {
  return (
    <Group justify="flex-end">
      <Button onClick={onClose}>I have copied it</Button>
    </Group>
  )
}
