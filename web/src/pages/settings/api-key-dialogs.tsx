// Making, rotating and revoking a key. What the server answers with the secret is dropped when the dialog closes.
import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Moment } from '../../parts/moment.tsx'
import { Failed } from '../../ui/states.tsx'
import { Actions, Done, KeyDialog, LastDay } from './key-dialog.tsx'
import { dayAhead, endOfDay } from './key-expiry.tsx'
import type { ApiKey, KeyOwner } from './key-owners.ts'
import { SecretOnce } from './secret-once.tsx'

const DEFAULT_LIFE_DAYS = 365
const DEFAULT_GRACE_HOURS = 24
const MAX_GRACE_HOURS = 720
const MAX_DESCRIPTION = 256

interface DialogProps {
  owner: KeyOwner
  onClose: () => void
}

/** Told after each change, so that the list is the one of the server. */
function useKeyChange<Input, Output>(owner: KeyOwner, change: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    // The answer has the secret: it goes with the dialog.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: owner.queryKey }),
  })
}

export function CreateKey({ owner, onClose }: DialogProps) {
  const [description, setDescription] = useState('')
  const [day, setDay] = useState(dayAhead(DEFAULT_LIFE_DAYS))
  const create = useKeyChange(owner, owner.create)
  if (create.data) {
    return (
      <KeyDialog title="The new key" onClose={onClose}>
        <SecretOnce secret={create.data.key} />
        <Done onClose={onClose} />
      </KeyDialog>
    )
  }
  return (
    <KeyDialog title="New API key" onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          create.mutate({ description, expires_at: endOfDay(day) })
        }}
      >
        <Stack>
          <TextInput
            label="What it is for"
            value={description}
            maxLength={MAX_DESCRIPTION}
            required
            data-autofocus
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
          <LastDay label="Last day" description="Empty: it never ends" day={day} onChange={setDay} />
          {create.error && <Failed error={create.error} />}
          <Actions action="Create the key" isPending={create.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}

export function RotateKey({ owner, apiKey, onClose }: DialogProps & { apiKey: ApiKey }) {
  const [hours, setHours] = useState<number | string>(DEFAULT_GRACE_HOURS)
  const [day, setDay] = useState('')
  const rotate = useKeyChange(owner, () =>
    owner.rotate(apiKey.id, {
      grace_period_hours: Number(hours),
      ...(day !== '' && { expires_at: endOfDay(day) }),
    }),
  )
  if (rotate.data) {
    return (
      <KeyDialog title="The new key" onClose={onClose}>
        <SecretOnce secret={rotate.data.key}>
          The old key stops working <Moment at={rotate.data.grace_period_expires_at} />.
        </SecretOnce>
        <Done onClose={onClose} />
      </KeyDialog>
    )
  }
  return (
    <KeyDialog title={`Rotate ${apiKey.description}`} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          rotate.mutate(undefined)
        }}
      >
        <Stack>
          <NumberInput
            label="Hours for which the old key goes on working"
            value={hours}
            min={1}
            max={MAX_GRACE_HOURS}
            allowDecimal={false}
            required
            data-autofocus
            onChange={setHours}
          />
          <LastDay
            label="Last day of the new key"
            description="Empty: when the old one would have ended"
            day={day}
            onChange={setDay}
          />
          {rotate.error && <Failed error={rotate.error} />}
          <Actions action="Rotate the key" isPending={rotate.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}

export function RevokeKey({ owner, apiKey, onClose }: DialogProps & { apiKey: ApiKey }) {
  const revoke = useKeyChange(owner, () => owner.revoke(apiKey.id))
  return (
    <KeyDialog title={`Revoke ${apiKey.description}`} onClose={onClose}>
      <Text>
        Whatever uses the key {apiKey.hint}… is refused from now on. It was last used{' '}
        <Moment at={apiKey.last_used_at || null} />.
      </Text>
      {revoke.error && <Failed error={revoke.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          color="red"
          loading={revoke.isPending}
          onClick={() => revoke.mutate(undefined, { onSuccess: onClose })}
        >
          Revoke the key
        </Button>
      </Group>
    </KeyDialog>
  )
}
