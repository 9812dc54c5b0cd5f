// The form of an environment notification: which environments, what happens there, who is told.
import { Button, Checkbox, Group, MultiSelect, Stack, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { environmentsQuery } from '../../parts/queries.ts'
import { errorAt, fieldErrorsOf } from '../../ui/field-errors.ts'
import { ButtonLink } from '../../ui/page-link.tsx'
import { Failed } from '../../ui/states.tsx'
import type { NotificationDraft } from './draft.ts'
import { TargetList } from './target-fields.tsx'
import { keysOf, TRIGGERS, type Trigger } from './words.ts'

interface NotificationFormProps {
  org: string
  initial: NotificationDraft
  action: string
  isPending: boolean
  error: Error | null
  onSubmit: (draft: NotificationDraft) => void
}

export function NotificationForm(props: NotificationFormProps) {
  const { org, initial, action, isPending, error, onSubmit } = props
  const [draft, setDraft] = useState(initial)
  const [sent, setSent] = useState(initial)
  const environments = useQuery(environmentsQuery(org))
  const errors = fieldErrorsOf(error)
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        setSent(draft)
        onSubmit(draft)
      }}
    >
      <Stack maw={720}>
        <TextInput
          label="Name"
          placeholder="Production turns red"
          required
          maxLength={255}
          value={draft.name}
          error={draft.name === sent.name && errorAt(errors, 'name')}
          onChange={({ currentTarget }) => setDraft({ ...draft, name: currentTarget.value })}
        />
        <MultiSelect
          label="Environments"
          required
          searchable
          data={environments.data?.map(({ name }) => name) ?? draft.environments}
          value={draft.environments}
          error={
            environments.error?.message ??
            (draft.environments === sent.environments && errorAt(errors, 'environments'))
          }
          onChange={chosen => setDraft({ ...draft, environments: chosen })}
        />
        <Checkbox.Group
          label="Tell when"
          required
          value={draft.triggers}
          error={draft.triggers === sent.triggers && errorAt(errors, 'triggers')}
          onChange={chosen => setDraft({ ...draft, triggers: chosen as Trigger[] })}
        >
          <Stack gap="xs" mt="xs">
            {keysOf(TRIGGERS).map(trigger => (
              <Checkbox key={trigger} value={trigger} label={TRIGGERS[trigger]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Title order={2} size="h4">
          Tell whom
        </Title>
        <TargetList
          targets={draft.targets}
          sent={sent.targets}
          errors={errors}
          onChange={targets => setDraft({ ...draft, targets })}
        />
        {error && <Failed error={error} />}
        <FormActions org={org} action={action} isPending={isPending} />
      </Stack>
    </form>
  )
}

type FormActionsProps = Pick<NotificationFormProps, 'org' | 'action' | 'isPending'>

function FormActions({ org, action, isPending }: FormActionsProps) {
  return (
    <Group justify="flex-end">
      <ButtonLink variant="default" to="/$org/settings/notifications" params={{ org }}>
        Cancel
      </ButtonLink>
      <Button type="submit" loading={isPending}>
        {action}
      </Button>
    </Group>
  )
}
