// When the state of a control in an environment changed, and the limits of this history.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { SnapshotLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { ControlStateBadge } from './control-state.tsx'
import { parseCellSearch } from './search.ts'
import { type CellPlace, type StateHistory, stateHistoryQuery } from './state-queries.ts'
import { stateTexts as texts } from './texts-states.ts'

const FROM = '/$org/controls/$identifier/environments/$environment'

type StateChange = Schemas['ControlStateChange']

export function CellHistory({ org, identifier, environment }: CellPlace) {
  const { before } = useSearch({ from: FROM })
  const history = useQuery(stateHistoryQuery({ org, identifier, env_name: environment }, before))
  return (
    <Stack gap="xs" component="section" aria-label={texts.history.title}>
      <Title order={2} size="h3">
        {texts.history.title}
      </Title>
      {history.isPending && <Loading />}
      {history.error && <ErrorAlert error={history.error} />}
      {history.data && <Found org={org} environment={environment} history={history.data} />}
    </Stack>
  )
}

function Found({ org, environment, history }: Omit<CellPlace, 'identifier'> & { history: StateHistory }) {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const goTo = (before: number | undefined) =>
    void navigate({ search: parseCellSearch({ ...search, before }), resetScroll: false })
  return (
    <>
      {history.changes.length === 0 ? (
        <Empty title={texts.history.none}>{texts.history.noneHint}</Empty>
      ) : (
        <DataTable
          caption={texts.history.caption}
          columns={buildColumns(org, environment)}
          rows={history.changes}
          getKey={({ at, state }) => `${at} ${state}`}
        />
      )}
      <Text size="sm" c="dimmed">
        {texts.history.covers(history.snapshots)} {texts.history.limits}
        {history.silences_known_since !== null && (
          <>
            {' '}
            {texts.history.silencesSince} <RelativeTime at={history.silences_known_since} />.
          </>
        )}
      </Text>
      <Group gap="xs">
        {search.before !== undefined && (
          <Button variant="default" size="xs" onClick={() => goTo(undefined)}>
            {texts.history.newest}
          </Button>
        )}
        {history.next !== null && (
          <Button variant="default" size="xs" onClick={() => goTo(history.next ?? undefined)}>
            {texts.history.older}
          </Button>
        )}
      </Group>
    </>
  )
}

const buildColumns = (org: string, environment: string): Column<StateChange>[] => [
  {
    title: texts.history.state,
    render: ({ state, unknown_because }) => (
      <>
        <ControlStateBadge state={state} />
        {unknown_because !== null && (
          <Text size="xs" c="dimmed">
            {texts.because[unknown_because]}
          </Text>
        )}
      </>
    ),
  },
  {
    title: texts.history.since,
    sortBy: ({ at }) => at,
    first: 'descending',
    render: ({ at }) => <RelativeTime at={at} />,
  },
  {
    title: texts.history.cause,
    render: ({ cause, actor }) => (
      <>
        {cause === null ? texts.history.silence : (texts.history.causes[cause] ?? cause)}
        {actor !== null && ` ${texts.history.by(actor)}`}
      </>
    ),
  },
  {
    title: texts.history.snapshot,
    render: ({ snapshot_index }) => (
      <SnapshotLink org={org} environment={environment} index={snapshot_index} />
    ),
  },
]
