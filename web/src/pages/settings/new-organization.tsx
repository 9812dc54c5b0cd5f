// The dialog that creates a shared organization. Its creator becomes an admin.

import { Button, Group, Modal, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { api, unwrap } from '../../api.ts'
import { BASE_PATH } from '../../base-path.ts'
import { DraftForm } from '../../ui/draft-form.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { profileTexts as texts } from './texts-profile.ts'

export function NewOrganization() {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" onClick={open}>
        {texts.newOrganization.open}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={texts.newOrganization.title}
        closeButtonProps={{ 'aria-label': texts.newOrganization.close }}
      >
        <OrganizationFields />
      </Modal>
    </>
  )
}

function OrganizationFields() {
  const { form, ...draft } = useDraft({
    initial: { name: '', description: '' },
    required: ['name'],
    send: body => unwrap(api.POST('/organizations', { body })),
    // A full reload, because the list of organizations comes with the session.
    onDone: created => window.location.assign(`${BASE_PATH}/${encodeURIComponent(created.name)}`),
  })
  return (
    <DraftForm
      draft={draft}
      actions={
        <Group justify="flex-end">
          <Button type="submit" loading={draft.isPending}>
            {texts.newOrganization.submit}
          </Button>
        </Group>
      }
    >
      <TextInput
        label={texts.newOrganization.name}
        description={texts.newOrganization.nameHelp}
        maxLength={64}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Textarea
        label={texts.newOrganization.description}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
    </DraftForm>
  )
}
