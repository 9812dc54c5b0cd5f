// The dialog that creates a public badge. The line of Markdown with its token is dropped when the dialog closes.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../api.ts'
import { readFieldErrors } from '../ui/field-errors.ts'
import { useFocusReturn } from '../ui/focus-return.ts'
import { SecretOnce } from '../ui/secret-once.tsx'
import { ErrorAlert } from '../ui/states.tsx'
import { useChange } from '../ui/use-change.ts'
import { publicBadgesTexts as texts } from './texts-public-badges.ts'

const MAX_LABEL = 48

export type BadgeSubject = { environment_name: string } | { flow_name: string }

interface CreateBadgeProps {
  org: string
  subject: BadgeSubject
  onClose: () => void
}

export function CreateBadge({ org, subject, onClose }: CreateBadgeProps) {
  useFocusReturn()
  const [label, setLabel] = useState('')
  const create = useChange(() =>
    unwrap(
      api.POST('/badge-tokens/{org}', {
        params: { path: { org } },
        body: { ...subject, ...(label.trim() === '' ? {} : { label: label.trim() }) },
      }),
    ),
  )
  return (
    <Modal
      opened
      title={create.data ? texts.createdTitle : texts.newTitle}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': texts.close }}
      onClose={onClose}
    >
      {create.data ? (
        <Stack>
          <SecretOnce secret={create.data.markdown}>{texts.onceHelp}</SecretOnce>
          <Group justify="flex-end">
            <Button onClick={onClose}>{texts.done}</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault()
            create.mutate(undefined)
          }}
        >
          <Stack>
            <TextInput
              label={texts.labelField}
              description={texts.labelHelp}
              value={label}
              error={readFieldErrors(create.error).label}
              maxLength={MAX_LABEL}
              data-autofocus
              onChange={({ currentTarget }) => setLabel(currentTarget.value)}
            />
            {create.error && <ErrorAlert error={create.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {texts.cancel}
              </Button>
              <Button type="submit" loading={create.isPending}>
                {texts.submit}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
