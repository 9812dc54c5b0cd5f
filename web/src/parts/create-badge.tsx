// The dialog that creates a public badge. The Markdown line with its token is dropped when the dialog closes.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { api, unwrap } from '../api.ts'
import { DraftForm } from '../ui/draft-form.tsx'
import { useFocusReturn } from '../ui/focus-return.ts'
import { SecretOnce } from '../ui/secret-once.tsx'
import { useDraft } from '../ui/use-draft.ts'
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
  const { form, answer, ...draft } = useDraft({
    initial: { label: '' },
    send: ({ label }) =>
      unwrap(
        api.POST('/badge-tokens/{org}', {
          params: { path: { org } },
          body: { ...subject, ...(label.trim() === '' ? {} : { label: label.trim() }) },
        }),
      ),
  })
  return (
    <Modal
      opened
      title={answer ? texts.createdTitle : texts.newTitle}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': texts.close }}
      onClose={onClose}
    >
      {answer ? (
        <Stack>
          <SecretOnce secret={answer.markdown}>{texts.onceHelp}</SecretOnce>
          <Group justify="flex-end">
            <Button onClick={onClose}>{texts.done}</Button>
          </Group>
        </Stack>
      ) : (
        <DraftForm
          draft={draft}
          actions={
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {texts.cancel}
              </Button>
              <Button type="submit" loading={draft.isPending}>
                {texts.submit}
              </Button>
            </Group>
          }
        >
          <TextInput
            label={texts.labelField}
            description={texts.labelHelp}
            maxLength={MAX_LABEL}
            data-autofocus
            {...form.getInputProps('label')}
          />
        </DraftForm>
      )}
    </Modal>
  )
}
