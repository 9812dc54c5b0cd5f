// The keys of a person or of a service account: what there is, and the way to make, rotate and revoke one.
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { RevokeKey, RotateKey } from './api-key-dialogs.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyExpiry } from './key-expiry.tsx'
import { LimitsInWords } from './key-limits.tsx'
import type { ApiKey, KeyOwner } from './key-owners.ts'
import { LastUse } from './last-use.tsx'

type Open = { dialog: 'create' } | { dialog: 'rotate'; key: ApiKey } | null

/** Who may not change them sees what there is. */
export function ApiKeys({ owner, mayChange }: { owner: KeyOwner; mayChange: boolean }) {
  const keys = useQuery({ queryKey: owner.queryKey, queryFn: owner.list })
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>API keys</Title>
        {mayChange && <Button onClick={() => setOpen({ dialog: 'create' })}>New key</Button>}
      </Group>
      {keys.isPending ? (
        <Loading rows={2} />
      ) : keys.error ? (
        <ErrorAlert error={keys.error} />
      ) : keys.data.length === 0 ? (
        <NoKeys owner={owner} />
      ) : (
        <KeyTable
          owner={owner}
          keys={keys.data}
          onRotate={mayChange ? key => setOpen({ dialog: 'rotate', key }) : undefined}
        />
      )}
      {open?.dialog === 'create' && <CreateKey owner={owner} onClose={close} />}
      {open?.dialog === 'rotate' && <RotateKey owner={owner} apiKey={open.key} onClose={close} />}
    </Stack>
  )
}

function NoKeys({ owner }: { owner: KeyOwner }) {
  const command = buildCurl('POST', buildApiPath(...owner.address), { description: 'build server' })
  return (
    <Empty title="No keys" command={command}>
      A key lets a program in. Its secret is shown once, when it is made.
    </Empty>
  )
}

interface KeyTableProps {
  owner: KeyOwner
  keys: ApiKey[]
  /** Undefined for those who may not change them. */
  onRotate: ((key: ApiKey) => void) | undefined
}

function KeyTable({ owner, keys, onRotate }: KeyTableProps) {
  return (
    <Table.ScrollContainer minWidth={900}>
      <Table aria-label="API keys">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>For</Table.Th>
            <Table.Th>Begins with</Table.Th>
            <Table.Th>Limits</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Ends</Table.Th>
            {onRotate && <Table.Th>Actions</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map(key => (
            <KeyRow key={key.id} owner={owner} apiKey={key} onRotate={onRotate && (() => onRotate(key))} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface KeyRowProps {
  owner: KeyOwner
  apiKey: ApiKey
  onRotate: (() => void) | undefined
}

function KeyRow({ owner, apiKey, onRotate }: KeyRowProps) {
  const { description, hint, created_at, last_used_at, last_used_from, expires_at } = apiKey
  // After a rotation two have the same description.
  const about = `${description} (${hint}…)`
  return (
    <Table.Tr>
      <Table.Td>{description}</Table.Td>
      <Table.Td>
        <Text size="sm" className="fingerprint">
          {hint}…
        </Text>
      </Table.Td>
      <Table.Td>
        <LimitsInWords apiKey={apiKey} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={created_at} />
      </Table.Td>
      <Table.Td>
        <LastUse last_used_at={last_used_at} last_used_from={last_used_from} />
      </Table.Td>
      <Table.Td>
        <KeyExpiry expires_at={expires_at} />
      </Table.Td>
      {onRotate && (
        <Table.Td>
          <Group gap="xs" wrap="nowrap">
            <Button size="compact-sm" variant="default" aria-label={`Rotate ${about}`} onClick={onRotate}>
              Rotate
            </Button>
            <RevokeKey owner={owner} apiKey={apiKey} about={about} />
          </Group>
        </Table.Td>
      )}
    </Table.Tr>
  )
}
