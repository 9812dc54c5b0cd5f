// The secret that a webhook is signed with. It is made here or brought along, sent once, and never read back.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { makeSecret, type SecretChange, type TargetDraft } from './draft.ts'

interface SigningSecretProps {
  target: TargetDraft
  error: string | undefined
  onChange: (target: TargetDraft) => void
}

export function SigningSecret({ target, error, onChange }: SigningSecretProps) {
  const [isMade, setMade] = useState(false)
  const { secret } = target
  const isSigned = target.signed_webhook !== null && target.signed_webhook === target.webhook
  const change = (next: SecretChange, made: boolean) => {
    setMade(made)
    onChange({ ...target, secret: next })
  }
  if (secret.change === 'set' && isMade) {
    return (
      <Stack gap="xs">
        <SecretOnce secret={secret.secret}>
          Give it to the receiver, which checks the signature with it. It counts from when you save.
        </SecretOnce>
        <Undo onUndo={() => change({ change: 'keep' }, false)} />
      </Stack>
    )
  }
  if (secret.change === 'set') {
    return (
      <Stack gap="xs">
        <TextInput
          label="Signing secret"
          description="whsec_ and the Base64 of 24 to 64 bytes"
          autoComplete="off"
          value={secret.secret}
          error={error}
          onChange={({ currentTarget }) => change({ change: 'set', secret: currentTarget.value }, false)}
        />
        <Undo onUndo={() => change({ change: 'keep' }, false)} />
      </Stack>
    )
  }
  return (
    <Stack gap={4}>
      <Text size="sm">{sentence(secret, isSigned)}</Text>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => change({ change: 'set', secret: makeSecret() }, true)}
        >
          Generate a signing secret
        </Button>
        <Button size="xs" variant="default" onClick={() => change({ change: 'set', secret: '' }, false)}>
          Enter your own
        </Button>
        {isSigned && secret.change === 'keep' && (
          <Button size="xs" variant="subtle" color="red" onClick={() => change({ change: 'remove' }, false)}>
            Stop signing
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function sentence(secret: SecretChange, isSigned: boolean): string {
  if (secret.change === 'remove') return 'Messages will not be signed any more.'
  return isSigned
    ? 'Messages are signed. With another secret, the one before signs as well for 24 hours.'
    : 'Messages are not signed.'
}

function Undo({ onUndo }: { onUndo: () => void }) {
  return (
    <Group>
      <Button size="xs" variant="subtle" onClick={onUndo}>
        Cancel the new secret
      </Button>
    </Group>
  )
}
