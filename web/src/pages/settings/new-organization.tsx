// Making a shared organization. Whoever makes it is its admin.
import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'

export function NewOrganization() {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" onClick={open}>
        New shared organization
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title="New shared organization"
        closeButtonProps={{ 'aria-label': 'Close' }}
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
    // A new start: which organizations there are is known with the session.
    onDone: made => window.location.assign(`/${encodeURIComponent(made.name)}`),
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
          label="Name"
          description="Letters, digits, hyphens, underscores and dots; it never changes"
          value={name}
          error={errors.name}
          maxLength={64}
          required
          data-autofocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Textarea
          label="Description"
          value={description}
          error={errors.description}
          autosize
          minRows={2}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        />
        {create.error && <ErrorAlert error={create.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            Create the organization
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
