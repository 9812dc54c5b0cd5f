// The forms that rename and archive an environment.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { useChange } from '../../ui/use-change.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { getPathParams, type Place } from './place.ts'
import { environmentTexts as texts } from './texts.ts'

export function RenameForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const { form, ...draft } = useDraft({
    initial: { new_name: place.environment },
    required: ['new_name'],
    send: body =>
      unwrap(api.PUT('/environments/{org}/{env_name}/rename', { params: getPathParams(place), body })),
    notice: (_, { new_name }) => texts.rename.renamed(place.environment, new_name),
    onDone: (_, { new_name }) =>
      navigate({
        to: '/$org/environments/$environment',
        params: { org: place.org, environment: new_name },
        search: { tab: 'settings' },
      }),
  })
  return (
    <DraftForm
      draft={draft}
      actions={
        <Group>
          <Button
            type="submit"
            variant="default"
            loading={draft.isPending}
            disabled={form.values.new_name === place.environment}
          >
            {texts.rename.rename}
          </Button>
        </Group>
      }
    >
      <TextInput
        label={texts.rename.newName}
        description={texts.rename.newNameHint}
        required
        {...form.getInputProps('new_name')}
      />
    </DraftForm>
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
