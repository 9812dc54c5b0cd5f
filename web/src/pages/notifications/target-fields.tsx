// The fields of the targets: any number of email addresses, chats and webhooks.
import { Button, Fieldset, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import type { GetInputPropsReturnType, UseFormReturnType } from '@mantine/form'
import { KINDS, listKeys, type TargetKind } from './codes.ts'
import { createTarget, type TargetDraft } from './draft.ts'
import { SigningSecret } from './signing-secret.tsx'
import { notificationsTexts as texts } from './texts.ts'

const MAX_TARGETS = 20

interface WithTargets {
  targets: TargetDraft[]
}

export function TargetList<Values extends WithTargets>({ form }: { form: UseFormReturnType<Values> }) {
  const { targets } = form.values
  return (
    <Stack>
      {targets.map((target, index) => (
        <TargetFields
          key={target.key}
          title={texts.targetForm.title(KINDS[target.type], index + 1)}
          target={target}
          getProps={field => form.getInputProps(`targets.${index}.${field}`)}
          onRemove={() => form.removeListItem('targets', index)}
        />
      ))}
      {form.errors.targets !== undefined && (
        <Text c="red" size="sm" role="alert">
          {form.errors.targets}
        </Text>
      )}
      <Group>
        {listKeys(KINDS).map(kind => (
          <Button
            key={kind}
            variant="default"
            size="xs"
            disabled={targets.length >= MAX_TARGETS}
            onClick={() => addTarget(form, kind)}
          >
            {texts.targetForm.add(KINDS[kind])}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}

function addTarget<Values extends WithTargets>(form: UseFormReturnType<Values>, kind: TargetKind): void {
  form.clearFieldError('targets')
  form.getInputProps('targets').onChange([...form.getValues().targets, createTarget(kind)])
}

interface TargetFieldsProps {
  title: string
  target: TargetDraft
  getProps: (field: 'emails' | 'webhook' | 'secret') => GetInputPropsReturnType
  onRemove: () => void
}

function TargetFields({ title, target, getProps, onRemove }: TargetFieldsProps) {
  return (
    <Fieldset legend={title}>
      <Stack gap="sm">
        {target.type === 'EMAIL' ? (
          <TagsInput
            label={texts.targetForm.emails}
            description={texts.targetForm.emailsHelp}
            maxTags={50}
            acceptValueOnBlur
            {...getProps('emails')}
          />
        ) : (
          <TextInput
            label={target.type === 'CHAT' ? texts.targetForm.chatUrl : texts.targetForm.webhookUrl}
            description={texts.targetForm.urlHelp}
            placeholder={texts.targetForm.urlExample}
            inputMode="url"
            required
            {...getProps('webhook')}
          />
        )}
        {target.type === 'WEBHOOK' && <SigningSecret target={target} {...getProps('secret')} />}
        <Group justify="flex-end">
          <Button
            size="xs"
            variant="subtle"
            color="red"
            aria-label={texts.targetForm.removeLabel(title)}
            onClick={onRemove}
          >
            {texts.targetForm.remove}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
