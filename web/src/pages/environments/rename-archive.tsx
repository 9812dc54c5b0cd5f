// The changes that others notice: another name, and putting away.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { answered, api } from '../../api.ts'
import { Failed } from '../../ui/states.tsx'
import { pathParams, useChange } from './changes.ts'
import type { Place } from './place.ts'

export function RenameForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const [new_name, setNewName] = useState(place.environment)
  const rename = useChange(
    (name: string) =>
      answered(
        api.PUT('/environments/{org}/{env_name}/rename', {
          params: pathParams(place),
          body: { new_name: name },
        }),
      ),
    name =>
      void navigate({
        to: '/$org/environments/$environment',
        params: { org: place.org, environment: name },
        search: { tab: 'settings' },
      }),
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
          onChange={({ currentTarget }) => setNewName(currentTarget.value)}
          required
        />
        {rename.error && <Failed error={rename.error} />}
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
  const [typed, setTyped] = useState('')
  const archive = useChange(
    (_: string) => answered(api.PUT('/environments/{org}/{env_name}/archive', { params: pathParams(place) })),
    () => void navigate({ to: '/$org/environments', params: { org: place.org } }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed === place.environment) archive.mutate(typed)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          It disappears from lists, logical environments and notifications. Its history is kept, and creating
          it again brings it back.
        </Text>
        <TextInput
          label={`Type ${place.environment} to confirm`}
          value={typed}
          autoComplete="off"
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {archive.error && <Failed error={archive.error} />}
        <Group>
          <Button
            type="submit"
            color="red"
            loading={archive.isPending}
            disabled={typed !== place.environment}
          >
            Archive
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
