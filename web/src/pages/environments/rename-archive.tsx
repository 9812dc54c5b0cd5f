// The forms that rename and archive an environment.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { getPathParams, type Place } from './place.ts'
import { environmentTexts as texts } from './texts.ts'

export function RenameForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const [new_name, setNewName] = useState(place.environment)
  const rename = useChange(
    (name: string) =>
      unwrap(
        api.PUT('/environments/{org}/{env_name}/rename', {
          params: getPathParams(place),
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
      notice: (_, name) => texts.rename.renamed(place.environment, name),
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
          label={texts.rename.newName}
          description={texts.rename.newNameHint}
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
            {texts.rename.rename}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export function ArchiveForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const archive = useChange(
    () => unwrap(api.PUT('/environments/{org}/{env_name}/archive', { params: getPathParams(place) })),
    {
      onDone: () => navigate({ to: '/$org/environments', params: { org: place.org } }),
      notice: texts.archive.archived(place.environment),
    },
  )
  return (
    <Stack>
      <Text size="sm">{texts.archive.effect}</Text>
      <Group>
        <ConfirmByTyping
          label={texts.archive.archive}
          about={place.environment}
          name={place.environment}
          question={texts.archive.question}
          change={archive}
          input={undefined}
        />
      </Group>
    </Stack>
  )
}
