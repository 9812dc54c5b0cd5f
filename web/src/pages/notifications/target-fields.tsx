// The fields of the targets: any number of mail addresses, chats and webhooks.
import { Button, Fieldset, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'
import { emptyTarget, type TargetDraft } from './draft.ts'
import { SigningSecret } from './signing-secret.tsx'
import { KINDS, keysOf } from './words.ts'

const MAX_TARGETS = 20

interface TargetListProps {
  targets: TargetDraft[]
  /** As they were when the server found the errors: one that was changed since has none. */
  sent: readonly TargetDraft[]
  errors: FieldErrors
  onChange: (targets: TargetDraft[]) => void
}

export function TargetList({ targets, sent, errors, onChange }: TargetListProps) {
  const ofList = sent.length === targets.length ? errors.targets : undefined
  return (
    <Stack>
      {targets.map((target, index) => (
        <TargetFields
          key={target.key}
          title={`${KINDS[target.type]} (target ${index + 1})`}
          target={target}
          path={`targets[${sent.indexOf(target)}]`}
          errors={errors}
          onChange={changed => onChange(targets.with(index, changed))}
          onRemove={() => onChange(targets.toSpliced(index, 1))}
        />
      ))}
      {ofList !== undefined && (
        <Text c="red" size="sm" role="alert">
          {ofList}
        </Text>
      )}
      <Group>
        {keysOf(KINDS).map(kind => (
          <Button
            key={kind}
            variant="default"
            size="xs"
            disabled={targets.length >= MAX_TARGETS}
            onClick={() => onChange([...targets, emptyTarget(kind)])}
          >
            Add {KINDS[kind].toLowerCase()}
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
            label="Mail addresses"
            description="Such as on-call@example.com; press Enter after each"
            value={target.emails}
            maxTags={50}
            acceptValueOnBlur
            error={findFieldError(errors, `${path}.emails`)}
            onChange={emails => onChange({ ...target, emails })}
          />
        ) : (
          <TextInput
            label={target.type === 'CHAT' ? 'Incoming-webhook address of the chat' : 'Address'}
            description="Begins with https://"
            placeholder="https://hooks.example.com/waybill"
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
          <Button size="xs" variant="subtle" color="red" aria-label={`Remove ${title}`} onClick={onRemove}>
            Remove
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
