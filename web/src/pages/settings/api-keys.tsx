// The keys of a person or of a service account: what there is, and the way to make, rotate and revoke one.
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { CreateKey, RevokeKey, RotateKey } from './api-key-dialogs.tsx'
import { KeyExpiry } from './key-expiry.tsx'
import type { ApiKey, KeyOwner } from './key-owners.ts'

type Open = { dialog: 'create' } | { dialog: 'rotate' | 'revoke'; key: ApiKey } | null

export function ApiKeys({ owner }: { owner: KeyOwner }) {
  const keys = useQuery({ queryKey: owner.queryKey, queryFn: owner.list })
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>API keys</Title>
        <Button onClick={() => setOpen({ dialog: 'create' })}>New key</Button>
      </Group>
      {keys.isPending ? (
        <Loading rows={2} />
      ) : keys.error ? (
        <Failed error={keys.error} />
      ) : keys.data.length === 0 ? (
        <NoKeys owner={owner} />
      ) : (
        <KeyTable keys={keys.data} onOpen={(dialog, key) => setOpen({ dialog, key })} />
      )}
      {open?.dialog === 'create' && <CreateKey owner={owner} onClose={close} />}
      {open?.dialog === 'rotate' && <RotateKey owner={owner} apiKey={open.key} onClose={close} />}
      {open?.dialog === 'revoke' && <RevokeKey owner={owner} apiKey={open.key} onClose={close} />}
    </Stack>
  )
}

function NoKeys({ owner }: { owner: KeyOwner }) {
  const address = `${window.location.origin}/api/v2${owner.address}`
  return (
    <Empty
      title="No keys"
      command={`curl -X POST ${address} -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d '{"description": "build server"}'`}
    >
      A key lets a program in. Its secret is shown once, when it is made.
    </Empty>
  )
}

interface KeyTableProps {
  keys: ApiKey[]
  onOpen: (dialog: 'rotate' | 'revoke', key: ApiKey) => void
}

function KeyTable({ keys, onOpen }: KeyTableProps) {
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table aria-label="API keys">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>For</Table.Th>
            <Table.Th>Begins with</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Ends</Table.Th>
            <Table.Th>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map(key => (
            <KeyRow key={key.id} apiKey={key} onOpen={dialog => onOpen(dialog, key)} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface KeyRowProps {
  apiKey: ApiKey
  onOpen: (dialog: 'rotate' | 'revoke') => void
}

function KeyRow({ apiKey, onOpen }: KeyRowProps) {
  const { description, hint, created_at, last_used_at, expires_at } = apiKey
  return (
    <Table.Tr>
      <Table.Td>{description}</Table.Td>
      <Table.Td>
        <Text size="sm" className="fingerprint">
          {hint}…
        </Text>
      </Table.Td>
      <Table.Td>
        <Moment at={created_at} />
      </Table.Td>
      <Table.Td>
        <Moment at={last_used_at || null} />
      </Table.Td>
      <Table.Td>
        <KeyExpiry expires_at={expires_at} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <Button
            size="xs"
            variant="default"
            aria-label={`Rotate ${description}`}
            onClick={() => onOpen('rotate')}
          >
            Rotate
          </Button>
          <Button
            size="xs"
            variant="light"
            color="red"
            aria-label={`Revoke ${description}`}
            onClick={() => onOpen('revoke')}
          >
            Revoke
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
