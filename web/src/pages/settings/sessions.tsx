// The browser sessions of the user, and the buttons that end them.
import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { formatCount } from '../../ui/format-count.ts'
import type { Column } from '../../ui/sort-rows.ts'
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
        <DataTable
          caption={texts.sessions.title}
          columns={COLUMNS}
          rows={sessions.data}
          getKey={({ session_id }) => session_id}
          isWide
        />
      )}
    </Stack>
  )
}

const COLUMNS: readonly Column<Session>[] = [
  {
    title: texts.sessions.browser,
    sortBy: ({ user_agent }) => describeBrowser(user_agent),
    render: ({ user_agent }) => (
      <Text size="sm" maw={280} lineClamp={2} title={user_agent}>
        {describeBrowser(user_agent)}
      </Text>
    ),
  },
  {
    title: texts.sessions.method,
    sortBy: ({ method }) => METHODS[method],
    render: ({ method }) => METHODS[method],
  },
  {
    title: texts.sessions.address,
    sortBy: ({ address }) => address,
    render: ({ address }) => address ?? texts.sessions.unknownAddress,
  },
  {
    title: texts.sessions.since,
    first: 'descending',
    sortBy: ({ created_at }) => created_at,
    render: ({ created_at }) => <RelativeTime at={created_at} />,
  },
  {
    title: texts.sessions.lastSeen,
    first: 'descending',
    sortBy: ({ last_seen_at }) => last_seen_at,
    render: ({ last_seen_at }) => <RelativeTime at={last_seen_at} />,
  },
  {
    title: texts.sessions.expires,
    sortBy: ({ expires_at }) => expires_at,
    render: ({ expires_at }) => <RelativeTime at={expires_at} />,
  },
  {
    title: texts.sessions.actions,
    render: session =>
      session.is_current ? (
        <Badge miw="max-content" variant="light">
          {texts.sessions.current}
        </Badge>
      ) : (
        <EndSessionButton session={session} />
      ),
  },
]

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
