// The signing secret of a webhook. It is generated here or entered, sent once, and never read back.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SecretOnce } from '../../ui/secret-once.tsx'
import type { FieldProps } from '../../ui/use-draft.ts'
import { makeSecret, type SecretChange, type TargetDraft } from './draft.ts'
import { notificationsTexts as texts } from './texts.ts'

interface SigningSecretProps extends FieldProps<SecretChange> {
  target: TargetDraft
}

export function SigningSecret({ target, value: _, onChange, ...field }: SigningSecretProps) {
  const [isGenerated, setGenerated] = useState(false)
  const { secret } = target
  const isSigned = target.signed_webhook !== null && target.signed_webhook === target.webhook
  const change = (next: SecretChange, generated: boolean) => {
    setGenerated(generated)
    onChange(next)
  }
  if (secret.change === 'set' && isGenerated) {
    return (
      <Stack gap="xs">
        <SecretOnce secret={secret.secret}>{texts.signing.generatedHelp}</SecretOnce>
        <Undo onUndo={() => change({ change: 'keep' }, false)} />
      </Stack>
    )
  }
  if (secret.change === 'set') {
    return (
      <Stack gap="xs">
        <TextInput
          {...field}
          label={texts.signing.secret}
          description={texts.signing.secretHelp}
          autoComplete="off"
          value={secret.secret}
          onChange={({ currentTarget }) => change({ change: 'set', secret: currentTarget.value }, false)}
        />
        <Undo onUndo={() => change({ change: 'keep' }, false)} />
      </Stack>
    )
  }
  return (
    <Stack gap={4}>
      <Text size="sm">{describeSigning(secret, isSigned)}</Text>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => change({ change: 'set', secret: makeSecret() }, true)}
        >
          {texts.signing.generate}
        </Button>
        <Button size="xs" variant="default" onClick={() => change({ change: 'set', secret: '' }, false)}>
          {texts.signing.enter}
        </Button>
        {isSigned && secret.change === 'keep' && (
          <Button size="xs" variant="subtle" color="red" onClick={() => change({ change: 'remove' }, false)}>
            {texts.signing.stop}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function describeSigning(secret: SecretChange, isSigned: boolean): string {
  if (secret.change === 'remove') return texts.signing.willBeUnsigned
  return isSigned ? texts.signing.signed : texts.signing.unsigned
}

function Undo({ onUndo }: { onUndo: () => void }) {
  return (
    <Group>
      <Button size="xs" variant="subtle" onClick={onUndo}>
        {texts.signing.undo}
      </Button>
    </Group>
  )
}
