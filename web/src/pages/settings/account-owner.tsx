// Who owns a service account, what happens because they have left, and the way for admins to choose somebody else.
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import text_styles from '../../ui/text.module.css'
import { useChange } from '../../ui/use-change.ts'
import { Actions, KeyDialog } from './key-dialog.tsx'
import { OF_ORGANIZATION, OwnerSelect } from './owner-select.tsx'
import type { ServiceAccount } from './service-account-form.tsx'

interface OwnerProps {
  org: string
  account: ServiceAccount
}

/** In a list. */
export function OwnerCell({ org, account }: OwnerProps) {
  const { owner, keys_stop_at } = account
  const { isAdmin } = useRole(org)
  if (keys_stop_at === null) return <>{owner ?? OF_ORGANIZATION}</>
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs">
        {owner}
        <Badge miw="max-content" color="yellow" variant="filled" autoContrast>
          Has left
        </Badge>
      </Group>
      <Text size="sm">
        <KeysStop keys_stop_at={keys_stop_at} />
      </Text>
      {isAdmin && <ChooseOwner org={org} account={account} />}
    </Stack>
  )
}

/** On the page of the account. */
export function AccountOwner({ org, account }: OwnerProps) {
  const { name, owner, keys_stop_at } = account
  const { isAdmin } = useRole(org)
  if (keys_stop_at === null) {
    return (
      <Group gap="xs">
        <Text>Owner: {owner ?? OF_ORGANIZATION}</Text>
        {isAdmin && <ChooseOwner org={org} account={account} />}
      </Group>
    )
  }
  return (
    <Alert
      color="yellow"
      role="group"
      title={`${owner}, the owner, has left ${org}`}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <KeysStop keys_stop_at={keys_stop_at} />. Once an admin chooses another owner, the keys of {name} go
          on working.
        </Text>
        {isAdmin && <ChooseOwner org={org} account={account} />}
      </Stack>
    </Alert>
  )
}

function KeysStop({ keys_stop_at }: { keys_stop_at: number }) {
  const isOver = keys_stop_at <= Date.now() / 1000
  return (
    <>
      {isOver ? 'Its keys stopped' : 'Its keys stop'} <RelativeTime at={keys_stop_at} />
    </>
  )
}

function ChooseOwner({ org, account }: OwnerProps) {
  const [opened, { open, close }] = useDisclosure()
  const label = account.keys_stop_at === null ? 'Choose another owner' : 'Choose an owner'
  const name = `${label} of ${account.name}`
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={name} onClick={open}>
        {label}
      </Button>
      {opened && <OwnerDialog title={name} org={org} account={account} onClose={close} />}
    </>
  )
}

function OwnerDialog({ title, org, account, onClose }: OwnerProps & { title: string; onClose: () => void }) {
  const { name, keys_stop_at } = account
  const [owner, setOwner] = useState(keys_stop_at === null ? account.owner : undefined)
  const save = useChange(
    (chosen: string | null) =>
      unwrap(
        api.PATCH('/service-accounts/{org}/{name}', {
          params: { path: { org, name } },
          body: { owner: chosen },
        }),
      ),
    { onDone: onClose, notice: (_, chosen) => `${chosen ?? 'The organization'} owns ${name} now` },
  )
  return (
    <KeyDialog title={title} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (owner !== undefined) save.mutate(owner)
        }}
      >
        <Stack>
          <OwnerSelect
            org={org}
            owner={owner}
            error={readFieldErrors(save.error).owner}
            onChange={setOwner}
          />
          {save.error && <ErrorAlert error={save.error} />}
          <Actions action="Save the owner" isPending={save.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}
