// The browser sessions of the user, and the buttons that end them.
import { Badge, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { formatCount } from '../../ui/format-count.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { describeBrowser } from './describe-browser.ts'
import { sessionsQuery } from './queries.ts'
import { profileTexts as texts } from './texts-profile.ts'

type Session = Schemas['Session']

const METHODS: Record<Session['method'], string> = {
  sso: texts.sessions.sso,
  link: texts.sessions.link,
  'first-run': texts.sessions.firstRun,
}

export function Sessions() {
  const sessions = useQuery(sessionsQuery)
  const end = useChange(() => unwrap(api.DELETE('/user/sessions')), {
    notice: ({ ended }) => texts.sessions.endedOthers(formatCount(ended, texts.sessions.otherBrowser)),
  })
  const hasOthers = sessions.data?.some(({ is_current }) => !is_current) ?? false
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{texts.sessions.title}</Title>
        {hasOthers && (
          <ConfirmButton
            label={texts.sessions.endOthers}
            about={texts.sessions.endOthersAbout}
            question={texts.sessions.endOthersQuestion}
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
      <Table aria-label={texts.sessions.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.sessions.browser}</Table.Th>
            <Table.Th>{texts.sessions.method}</Table.Th>
            <Table.Th>{texts.sessions.address}</Table.Th>
            <Table.Th>{texts.sessions.since}</Table.Th>
            <Table.Th>{texts.sessions.lastSeen}</Table.Th>
            <Table.Th>{texts.sessions.expires}</Table.Th>
            <Table.Th>{texts.sessions.actions}</Table.Th>
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
          {describeBrowser(user_agent)}
        </Text>
      </Table.Td>
      <Table.Td>{METHODS[method]}</Table.Td>
      <Table.Td>{address ?? texts.sessions.unknownAddress}</Table.Td>
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
            {texts.sessions.current}
          </Badge>
        ) : (
          <EndSessionButton session={session} />
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function EndSessionButton({ session: { session_id, created_at } }: { session: Session }) {
  const end = useChange(
    () => unwrap(api.DELETE('/user/sessions/{session_id}', { params: { path: { session_id } } })),
    { notice: texts.sessions.ended },
  )
  return (
    <ConfirmButton
      label={texts.sessions.end}
      about={texts.sessions.endAbout(new Date(created_at * 1000).toLocaleString())}
      question={texts.sessions.endQuestion}
      change={end}
      input={undefined}
    />
  )
}
