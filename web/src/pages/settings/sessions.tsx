// The browsers one is signed in with, and the way to sign out there.
import { Badge, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { formatCount } from '../../ui/format-count.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { sessionsQuery } from './queries.ts'

type Session = Schemas['Session']

const METHODS: Record<Session['method'], string> = {
  sso: 'single sign-on',
  link: 'link by mail',
  'first-run': 'link of the first start',
}

export function Sessions() {
  const sessions = useQuery(sessionsQuery)
  const end = useChange(() => unwrap(api.DELETE('/user/sessions')), {
    notice: ({ ended }) => `Signed out in ${formatCount(ended, 'other browser')}`,
  })
  const hasOthers = sessions.data?.some(({ is_current }) => !is_current) ?? false
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>Sessions</Title>
        {hasOthers && (
          <ConfirmButton
            label="End all others"
            about="of your sessions"
            question="You stay signed in here. Every other browser is signed out at once."
            change={end}
            input={undefined}
          />
        )}
      </Group>
      {sessions.isPending ? (
        <Loading rows={2} />
      ) : sessions.error ? (
        <ErrorAlert error={sessions.error} />
      ) : (
        <SessionTable sessions={sessions.data} />
      )}
    </Stack>
  )
}

function SessionTable({ sessions }: { sessions: Session[] }) {
  return (
    <Table.ScrollContainer minWidth={800}>
      <Table aria-label="Sessions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Browser</Table.Th>
            <Table.Th>Signed in by</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th>Last seen</Table.Th>
            <Table.Th>Ends</Table.Th>
            <Table.Th>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map(session => (
            <SessionRow key={session.session_id} session={session} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function SessionRow({ session }: { session: Session }) {
  const { method, user_agent, address, created_at, last_seen_at, expires_at, is_current } = session
  return (
    <Table.Tr>
      <Table.Td maw={280}>
        <Text size="sm" lineClamp={2} title={user_agent}>
          {user_agent}
        </Text>
      </Table.Td>
      <Table.Td>{METHODS[method]}</Table.Td>
      <Table.Td>{address ?? 'unknown'}</Table.Td>
      <Table.Td>
        <RelativeTime at={created_at} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={last_seen_at} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={expires_at} />
      </Table.Td>
      <Table.Td>
        {is_current ? (
          <Badge miw="max-content" variant="light">
            This browser
          </Badge>
        ) : (
          <EndSession session={session} />
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function EndSession({ session: { session_id, created_at } }: { session: Session }) {
  const end = useChange(
    () => unwrap(api.DELETE('/user/sessions/{session_id}', { params: { path: { session_id } } })),
    { notice: 'Signed out there' },
  )
  return (
    <ConfirmButton
      label="End"
      about={`the session of ${new Date(created_at * 1000).toLocaleString()}`}
      question="That browser is signed out at once."
      change={end}
      input={undefined}
    />
  )
}
