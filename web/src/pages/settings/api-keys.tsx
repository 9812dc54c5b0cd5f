// The API keys of a person or a service account, with the dialogs that create, rotate and revoke them.
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { RevokeKey, RotateKey } from './api-key-dialogs.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyExpiry } from './key-expiry.tsx'
import { LimitSummary } from './key-limits.tsx'
import type { ApiKey, KeyOwner } from './key-owners.ts'
import { LastUse } from './last-use.tsx'
import { accountsTexts as texts } from './texts-accounts.ts'

type Open = { dialog: 'create' } | { dialog: 'rotate'; key: ApiKey } | null

/** Read-only without `canChange`. */
export function ApiKeys({ owner, canChange }: { owner: KeyOwner; canChange: boolean }) {
  const keys = useQuery({ queryKey: owner.queryKey, queryFn: owner.list })
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{texts.keys.title}</Title>
        {canChange && <Button onClick={() => setOpen({ dialog: 'create' })}>{texts.keys.create}</Button>}
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
          onRotate={canChange ? key => setOpen({ dialog: 'rotate', key }) : undefined}
        />
      )}
      {open?.dialog === 'create' && <CreateKey owner={owner} onClose={close} />}
      {open?.dialog === 'rotate' && <RotateKey owner={owner} apiKey={open.key} onClose={close} />}
    </Stack>
  )
}

function NoKeys({ owner }: { owner: KeyOwner }) {
  const command = buildCurl('POST', buildApiPath(...owner.path), { description: 'build server' })
  return (
    <Empty title={texts.keys.empty} command={command}>
      {texts.keys.emptyHelp}
    </Empty>
  )
}

interface KeyTableProps {
  owner: KeyOwner
  keys: ApiKey[]
  /** Undefined if the user cannot change the keys. */
  onRotate: ((key: ApiKey) => void) | undefined
}

function KeyTable({ owner, keys, onRotate }: KeyTableProps) {
  return (
    <Table.ScrollContainer minWidth={900}>
      <Table aria-label={texts.keys.label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.keys.description}</Table.Th>
            <Table.Th>{texts.keys.prefix}</Table.Th>
            <Table.Th>{texts.keys.limits}</Table.Th>
            <Table.Th>{texts.keys.created}</Table.Th>
            <Table.Th>{texts.keys.lastUsed}</Table.Th>
            <Table.Th>{texts.keys.expires}</Table.Th>
            {onRotate && <Table.Th>{texts.keys.actions}</Table.Th>}
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
  // After a rotation, two keys have the same description.
  const about = texts.keys.named(description, hint)
  return (
    <Table.Tr>
      <Table.Td>{description}</Table.Td>
      <Table.Td>
        <Text size="sm" className="fingerprint">
          {hint}…
        </Text>
      </Table.Td>
      <Table.Td>
        <LimitSummary apiKey={apiKey} />
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
            <Button
              size="compact-sm"
              variant="default"
              aria-label={texts.keys.rotateLabel(about)}
              onClick={onRotate}
            >
              {texts.keys.rotate}
            </Button>
            <RevokeKey owner={owner} apiKey={apiKey} about={about} />
          </Group>
        </Table.Td>
      )}
    </Table.Tr>
  )
}
