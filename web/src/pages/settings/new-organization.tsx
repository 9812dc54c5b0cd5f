// The dialog that creates a shared organization. Its creator becomes an admin.

import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { BASE_PATH } from '../../base-path.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
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
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const create = useChange(() => unwrap(api.POST('/organizations', { body: { name, description } })), {
    // A full reload, because the list of organizations comes with the session.
    onDone: created => window.location.assign(`${BASE_PATH}/${encodeURIComponent(created.name)}`),
  })
  const errors = readFieldErrors(create.error)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        create.mutate(undefined)
      }}
    >
      <Stack>
        <TextInput
          label={texts.newOrganization.name}
          description={texts.newOrganization.nameHelp}
          value={name}
          error={errors.name}
          maxLength={64}
          required
          data-autofocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Textarea
          label={texts.newOrganization.description}
          value={description}
          error={errors.description}
          autosize
          minRows={2}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        />
        {create.error && <ErrorAlert error={create.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            {texts.newOrganization.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
