// The form of a notification: which environments or flows, what happens there, who is told.
import { Button, Checkbox, Group, MultiSelect, Radio, Stack, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type FieldErrors, findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { ButtonLink } from '../../ui/page-link.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { ABOUT, type About, KINDS_OF_NOTIFICATION } from './about.ts'
import { type NotificationDraft, nothingChosen } from './draft.ts'
import { subjectNamesQuery } from './queries.ts'
import { TargetList } from './target-fields.tsx'
import { codesIn, TRIGGERS } from './words.ts'

interface NotificationFormProps {
  org: string
  initial: NotificationDraft
  /** What it is about is chosen once. */
  isNew: boolean
  action: string
  isPending: boolean
  error: Error | null
  onSubmit: (draft: NotificationDraft) => void
}

export function NotificationForm(props: NotificationFormProps) {
  const { org, initial, isNew, action, isPending, error, onSubmit } = props
  const [draft, setDraft] = useState(initial)
  const [sent, setSent] = useState(initial)
  const errors = readFieldErrors(error)
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
        {isNew && (
          <AboutChoice
            about={draft.about}
            onChange={about => setDraft({ ...draft, ...nothingChosen(about) })}
          />
        )}
        <TextInput
          label="Name"
          placeholder={ABOUT[draft.about].such_as}
          required
          maxLength={255}
          value={draft.name}
          error={draft.name === sent.name && findFieldError(errors, 'name')}
          onChange={({ currentTarget }) => setDraft({ ...draft, name: currentTarget.value })}
        />
        <Occasions org={org} draft={draft} sent={sent} errors={errors} onChange={setDraft} />
        <Title order={2} size="h4">
          Tell whom
        </Title>
        <TargetList
          targets={draft.targets}
          sent={sent.targets}
          errors={errors}
          onChange={targets => setDraft({ ...draft, targets })}
        />
        {error && <ErrorAlert error={error} />}
        <FormActions org={org} action={action} isPending={isPending} />
      </Stack>
    </form>
  )
}

interface AboutChoiceProps {
  about: About
  onChange: (about: About) => void
}

function AboutChoice({ about, onChange }: AboutChoiceProps) {
  return (
    <Radio.Group label="What it is about" value={about} onChange={value => onChange(value as About)}>
      <Group mt="xs">
        {KINDS_OF_NOTIFICATION.map(kind => (
          <Radio key={kind} value={kind} label={ABOUT[kind].label} />
        ))}
      </Group>
    </Radio.Group>
  )
}

interface OccasionsProps {
  org: string
  draft: NotificationDraft
  sent: NotificationDraft
  errors: FieldErrors
  onChange: (draft: NotificationDraft) => void
}

/** Where something has to happen, and what. */
function Occasions({ org, draft, sent, errors, onChange }: OccasionsProps) {
  const { about, names, triggers } = draft
  const known = useQuery(subjectNamesQuery(org, about))
  const words = ABOUT[about]
  return (
    <>
      <MultiSelect
        label={words.label}
        required
        searchable
        data={known.data ?? names}
        value={names}
        error={known.error?.message ?? (names === sent.names && findFieldError(errors, about))}
        onChange={chosen => onChange({ ...draft, names: chosen })}
      />
      <Checkbox.Group
        label="Tell when"
        required
        value={triggers}
        error={triggers === sent.triggers && findFieldError(errors, 'triggers')}
        onChange={chosen => onChange({ ...draft, triggers: codesIn(chosen, TRIGGERS) })}
      >
        <Stack gap="xs" mt="xs">
          {words.triggers.map(trigger => (
            <Checkbox key={trigger} value={trigger} label={TRIGGERS[trigger]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </>
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
