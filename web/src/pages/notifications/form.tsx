// The form of a notification: environments or flows, triggers, and targets.
import { Button, Checkbox, Group, MultiSelect, Radio, Stack, TextInput, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { DraftForm } from '../../ui/draft-form.tsx'
import { ButtonLink } from '../../ui/page-link.tsx'
import { useDraft } from '../../ui/use-draft.ts'
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
  send: (draft: NotificationDraft) => Promise<unknown>
}

export function NotificationForm({ org, initial, isNew, action, send }: NotificationFormProps) {
  const navigate = useNavigate()
  const { form, ...draft } = useDraft({
    initial,
    send,
    // In the request, the field for the names depends on the kind.
    findField: path => (/^(environments|flows)\b/.test(path) ? 'names' : undefined),
    notice: (_, { name }) => texts.form.saved(name),
    onDone: () => navigate({ to: '/$org/settings/notifications', params: { org } }),
  })
  const { about } = form.values
  return (
    <DraftForm
      draft={draft}
      maw={720}
      actions={<FormActions org={org} action={action} isPending={draft.isPending} />}
    >
      {isNew && <AboutChoice about={about} onChange={chosen => form.setValues(resetChoices(chosen))} />}
      <TextInput
        label={texts.form.name}
        placeholder={texts[about].example}
        required
        maxLength={255}
        {...form.getInputProps('name')}
      />
      <SubjectFields org={org} form={form} />
      <Title order={2} size="h4">
        {texts.form.targets}
      </Title>
      <TargetList form={form} />
    </DraftForm>
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
  form: UseFormReturnType<NotificationDraft>
}

/** Which environments or flows to watch, and for what. */
function SubjectFields({ org, form }: SubjectFieldsProps) {
  const { about, names } = form.values
  const known = useQuery(subjectNamesQuery(org, about))
  const options = ABOUT[about]
  const triggers = form.getInputProps('triggers')
  return (
    <>
      <MultiSelect
        label={texts[about].label}
        required
        searchable
        data={known.data ?? names}
        {...form.getInputProps('names')}
        error={known.error?.message ?? form.errors.names}
      />
      <Checkbox.Group
        label={texts.form.triggers}
        required
        {...triggers}
        onChange={(chosen: string[]) => triggers.onChange(pickCodes(chosen, TRIGGERS))}
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

interface FormActionsProps {
  org: string
  action: string
  isPending: boolean
}

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
