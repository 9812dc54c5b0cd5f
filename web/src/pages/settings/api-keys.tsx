// The API keys of a person or a service account, with the dialogs that create, rotate and revoke them.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Column } from '../../ui/sort-rows.ts'
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
    <DataTable
      caption={texts.keys.label}
      columns={listColumns(owner, onRotate)}
      rows={keys}
      getKey={({ id }) => id}
      isWide
    />
  )
}

function listColumns(owner: KeyOwner, onRotate: KeyTableProps['onRotate']): Column<ApiKey>[] {
  const columns: Column<ApiKey>[] = [
    {
      title: texts.keys.description,
      sortBy: ({ description }) => description,
      render: ({ description }) => description,
    },
    {
      title: texts.keys.prefix,
      render: ({ hint }) => (
        <Text size="sm" className="fingerprint">
          {hint}…
        </Text>
      ),
    },
    { title: texts.keys.limits, render: key => <LimitSummary apiKey={key} /> },
    {
      title: texts.keys.created,
      first: 'descending',
      sortBy: ({ created_at }) => created_at,
      render: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      title: texts.keys.lastUsed,
      first: 'descending',
      sortBy: ({ last_used_at }) => last_used_at,
      render: ({ last_used_at, last_used_from }) => (
        <LastUse last_used_at={last_used_at} last_used_from={last_used_from} />
      ),
    },
    {
      title: texts.keys.expires,
      sortBy: ({ stops_at }) => stops_at || null,
      render: ({ expires_at, stops_at }) => (
        <>
          <KeyExpiry expires_at={stops_at} />
          {stops_at !== expires_at && (
            <Text size="sm" c="dimmed">
              {texts.keys.ownerLeft}
            </Text>
          )}
        </>
      ),
    },
  ]
  if (onRotate === undefined) return columns
  const render = (key: ApiKey) => <KeyActions owner={owner} apiKey={key} onRotate={() => onRotate(key)} />
  return [...columns, { title: texts.keys.actions, render }]
}

interface KeyActionsProps {
  owner: KeyOwner
  apiKey: ApiKey
  onRotate: () => void
}

function KeyActions({ owner, apiKey, onRotate }: KeyActionsProps) {
  // After a rotation, two keys have the same description.
  const about = texts.keys.named(apiKey.description, apiKey.hint)
  return (
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
  )
}
