// The frame of the key dialogs, and the fields and buttons that they share.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { formatFutureDay } from '../../ui/local-time.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

/** The API's value for no expiry. */
export const NEVER = 0

interface ExpiryFieldProps {
  label: string
  description: string
  day: string
  /** The latest day that can be chosen. */
  latest?: string
  error: string | undefined
  onChange: (day: string) => void
}

export function ExpiryField({ label, description, day, latest, error, onChange }: ExpiryFieldProps) {
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
      closeButtonProps={{ 'aria-label': texts.keyDialog.close }}
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
        {texts.keyDialog.cancel}
      </Button>
      <Button type="submit" loading={isPending}>
        {action}
      </Button>
    </Group>
  )
}

export function DoneButton({ onClose }: { onClose: () => void }) {
  return (
    <Group justify="flex-end">
      <Button onClick={onClose}>{texts.keyDialog.done}</Button>
    </Group>
  )
}
