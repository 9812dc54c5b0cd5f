// The frame of the key dialogs, and the fields and buttons that they share.
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { formatFutureDay } from '../../ui/local-time.ts'
import { SecretOnce } from '../../ui/secret-once.tsx'
import text_styles from '../../ui/text.module.css'
import type { FieldProps } from '../../ui/use-draft.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

/** The API's value for no expiry. */
export const NEVER = 0

interface ExpiryFieldProps extends FieldProps<string | null> {
  label: string
  description: string
  /** The day that counts if none is chosen. */
  defaultDay?: string
  /** The last selectable day. */
  latest?: string
}

export function ExpiryField({ value, defaultDay = '', latest, onChange, ...field }: ExpiryFieldProps) {
  return (
    <TextInput
      {...field}
      type="date"
      value={value ?? defaultDay}
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

interface SecretDialogProps {
  title: string
  secret: string
  /** Shown above the buttons, such as the end of the old key. */
  children?: ReactNode
  note?: ReactNode
  onClose: () => void
}

/** Shows a secret once. Asks before closing if the secret was not copied, because nobody can see it again. */
export function SecretDialog({ title, secret, note, children, onClose }: SecretDialogProps) {
  const [isCopied, setCopied] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const close = () => (isCopied ? onClose() : setAsking(true))
  return (
    <KeyDialog title={title} onClose={close}>
      <LeaveGuard isUnsaved={() => !isCopied} />
      <SecretOnce secret={secret} onCopy={() => setCopied(true)}>
        {note}
      </SecretOnce>
      {children}
      {isAsking ? (
        <Alert
          color="red"
          role="alert"
          title={texts.keyDialog.notCopied}
          classNames={{ title: text_styles.plain ?? '' }}
        >
          <Text size="sm" mb="xs">
            {texts.keyDialog.notCopiedHelp}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)}>
              {texts.keyDialog.back}
            </Button>
            <Button color="red" onClick={onClose}>
              {texts.keyDialog.closeAnyway}
            </Button>
          </Group>
        </Alert>
      ) : (
        <Group justify="flex-end">
          <Button onClick={onClose}>{texts.keyDialog.done}</Button>
        </Group>
      )}
    </KeyDialog>
  )
}
