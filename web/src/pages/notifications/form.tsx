// The form of a notification: environments or flows, triggers, and targets.
import { Button, Checkbox, Group, MultiSelect, Radio, Stack, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type FieldErrors, findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { ButtonLink } from '../../ui/page-link.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { ABOUT, type About, KINDS_OF_NOTIFICATION } from './about.ts'
import { pickCodes, TRIGGERS } from './codes.ts'
import { type NotificationDraft, resetChoices } from './draft.ts'
import { subjectNamesQuery } from './queries.ts'
import { TargetList } from './target-fields.tsx'
import { notificationsTexts as texts } from './texts.ts'

interface NotificationFormProps {
  org: string
  initial: NotificationDraft
  /** The kind can only be chosen for a new notification. */
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
            onChange={about => setDraft({ ...draft, ...resetChoices(about) })}
          />
        )}
        <TextInput
          label={texts.form.name}
          placeholder={texts[draft.about].example}
          required
          maxLength={255}
          value={draft.name}
          error={draft.name === sent.name && findFieldError(errors, 'name')}
          onChange={({ currentTarget }) => setDraft({ ...draft, name: currentTarget.value })}
        />
        <SubjectFields org={org} draft={draft} sent={sent} errors={errors} onChange={setDraft} />
        <Title order={2} size="h4">
          {texts.form.targets}
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
    <Radio.Group label={texts.form.about} value={about} onChange={value => onChange(value as About)}>
      <Group mt="xs">
        {KINDS_OF_NOTIFICATION.map(kind => (
          <Radio key={kind} value={kind} label={texts[kind].label} />
        ))}
      </Group>
    </Radio.Group>
  )
}

interface SubjectFieldsProps {
  org: string
  draft: NotificationDraft
  sent: NotificationDraft
  errors: FieldErrors
  onChange: (draft: NotificationDraft) => void
}

/** Which environments or flows to watch, and for what. */
function SubjectFields({ org, draft, sent, errors, onChange }: SubjectFieldsProps) {
  const { about, names, triggers } = draft
  const known = useQuery(subjectNamesQuery(org, about))
  const options = ABOUT[about]
  return (
    <>
      <MultiSelect
        label={texts[about].label}
        required
        searchable
        data={known.data ?? names}
        value={names}
        error={known.error?.message ?? (names === sent.names && findFieldError(errors, about))}
        onChange={chosen => onChange({ ...draft, names: chosen })}
      />
      <Checkbox.Group
        label={texts.form.triggers}
        required
        value={triggers}
        error={triggers === sent.triggers && findFieldError(errors, 'triggers')}
        onChange={chosen => onChange({ ...draft, triggers: pickCodes(chosen, TRIGGERS) })}
      >
        <Stack gap="xs" mt="xs">
          {options.triggers.map(trigger => (
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
        {texts.form.cancel}
      </ButtonLink>
      <Button type="submit" loading={isPending}>
        {action}
      </Button>
    </Group>
  )
}
