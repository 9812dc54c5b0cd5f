// The fields of the targets: any number of email addresses, chats and webhooks.
import { Button, Fieldset, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'
import { KINDS, listKeys } from './codes.ts'
import { createTarget, type TargetDraft } from './draft.ts'
import { SigningSecret } from './signing-secret.tsx'
import { notificationsTexts as texts } from './texts.ts'

const MAX_TARGETS = 20

interface TargetListProps {
  targets: TargetDraft[]
  /** The targets as they were sent: a target that changed since then shows no error. */
  sent: readonly TargetDraft[]
  errors: FieldErrors
  onChange: (targets: TargetDraft[]) => void
}

export function TargetList({ targets, sent, errors, onChange }: TargetListProps) {
  const listError = sent.length === targets.length ? errors.targets : undefined
  return (
    <Stack>
      {targets.map((target, index) => (
        <TargetFields
          key={target.key}
          title={texts.targetForm.title(KINDS[target.type], index + 1)}
          target={target}
          path={`targets[${sent.indexOf(target)}]`}
          errors={errors}
          onChange={changed => onChange(targets.with(index, changed))}
          onRemove={() => onChange(targets.toSpliced(index, 1))}
        />
      ))}
      {listError !== undefined && (
        <Text c="red" size="sm" role="alert">
          {listError}
        </Text>
      )}
      <Group>
        {listKeys(KINDS).map(kind => (
          <Button
            key={kind}
            variant="default"
            size="xs"
            disabled={targets.length >= MAX_TARGETS}
            onClick={() => onChange([...targets, createTarget(kind)])}
          >
            {texts.targetForm.add(KINDS[kind])}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}

interface TargetFieldsProps {
  title: string
  target: TargetDraft
  path: string
  errors: FieldErrors
  onChange: (target: TargetDraft) => void
  onRemove: () => void
}

function TargetFields({ title, target, path, errors, onChange, onRemove }: TargetFieldsProps) {
  return (
    <Fieldset legend={title}>
      <Stack gap="sm">
        {target.type === 'EMAIL' ? (
          <TagsInput
            label={texts.targetForm.emails}
            description={texts.targetForm.emailsHelp}
            value={target.emails}
            maxTags={50}
            acceptValueOnBlur
            error={findFieldError(errors, `${path}.emails`)}
            onChange={emails => onChange({ ...target, emails })}
          />
        ) : (
          <TextInput
            label={target.type === 'CHAT' ? texts.targetForm.chatUrl : texts.targetForm.webhookUrl}
            description={texts.targetForm.urlHelp}
            placeholder={texts.targetForm.urlExample}
            inputMode="url"
            required
            value={target.webhook}
            error={findFieldError(errors, `${path}.webhook`)}
            onChange={({ currentTarget }) => onChange({ ...target, webhook: currentTarget.value })}
          />
        )}
        {target.type === 'WEBHOOK' && (
          <SigningSecret
            target={target}
            error={findFieldError(errors, `${path}.secret`)}
            onChange={onChange}
          />
        )}
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
