// The changes that others notice: another name, and putting away.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { type Place, pathParams } from './place.ts'

export function RenameForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const [new_name, setNewName] = useState(place.environment)
  const rename = useChange(
    (name: string) =>
      unwrap(
        api.PUT('/environments/{org}/{env_name}/rename', {
          params: pathParams(place),
          body: { new_name: name },
        }),
      ),
    {
      onDone: (_, name) =>
        navigate({
          to: '/$org/environments/$environment',
          params: { org: place.org, environment: name },
          search: { tab: 'settings' },
        }),
      notice: (_, name) => `It is called ${name} now`,
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.mutate(new_name)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="New name"
          description="The old name keeps leading here"
          value={new_name}
          error={findFieldError(readFieldErrors(rename.error), 'new_name')}
          onChange={({ currentTarget }) => setNewName(currentTarget.value)}
          required
        />
        {rename.error && <ErrorAlert error={rename.error} />}
        <Group>
          <Button
            type="submit"
            variant="default"
            loading={rename.isPending}
            disabled={new_name === place.environment}
          >
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export function ArchiveForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const archive = useChange(
    () => unwrap(api.PUT('/environments/{org}/{env_name}/archive', { params: pathParams(place) })),
    {
      onDone: () => navigate({ to: '/$org/environments', params: { org: place.org } }),
      notice: `${place.environment} is archived`,
    },
  )
  return (
    <Stack>
      <Text size="sm">
        It disappears from lists, logical environments and notifications, and nothing can be reported to it.
        Its history is kept. Unarchiving brings it back as it was; logical environments and notifications have
        to include it again.
      </Text>
      <Group>
        <ConfirmByTyping
          label="Archive"
          about={place.environment}
          name={place.environment}
          question="Nobody is told about it any more, and no list shows it."
          change={archive}
          input={undefined}
        />
      </Group>
    </Stack>
  )
}
