// The allow-list of an environment: artifacts that may run although a policy rejects them.
import { Badge, Stack, Switch, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { readDecision, SecondPersonAlert, waitingDecisionsQuery } from '../../parts/waiting-decisions.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { formatListUpTo } from '../../ui/format-list.ts'
import { readSwitch } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { AllowForm } from './allow-form.tsx'
import type { AllowListEntry, Environment } from './answers.ts'
import { getPathParams, type Place, useChangeSearch } from './place.ts'
import { allowListQuery } from './queries.ts'
import { environmentTexts as texts } from './texts.ts'

export function AllowListTab({ place, environment }: { place: Place; environment: Environment }) {
  const change = useChangeSearch()
  const { isMember } = useRole(place.org)
  const canChange = isMember && !environment.archived
  if (environment.type === 'logical') {
    return <Empty title={texts.allowList.logical}>{texts.allowList.logicalHint}</Empty>
  }
  return (
    <Stack>
      <Text>{texts.allowList.intro}</Text>
      <Switch
        label={texts.allowList.showEnded}
        checked={place.search.include_ended ?? false}
        onChange={({ currentTarget }) => change({ include_ended: readSwitch(currentTarget.checked) })}
      />
      <Entries place={place} canChange={canChange} />
      <WaitingEntries place={place} />
      {canChange && (
        <>
          <Title order={2} size="h3">
            {texts.allowForm.title}
          </Title>
          <AllowForm key={place.search.allow_fingerprint} place={place} />
        </>
      )}
    </Stack>
  )
}

interface EntriesProps {
  place: Place
  canChange: boolean
}

function Entries({ place, canChange }: EntriesProps) {
  const entries = useQuery(allowListQuery(place.org, place.environment, place.search.include_ended ?? false))
  if (entries.isPending) return <Loading />
  if (entries.error) return <ErrorAlert error={entries.error} />
  if (entries.data.length === 0)
    return (
      <Empty title={texts.allowList.none} {...(canChange && { command: buildAllowCommand(place) })}>
        {texts.allowList.noneHint}
      </Empty>
    )
  return (
    <DataTable
      caption={texts.allowList.caption}
      columns={listColumns({ place, canChange })}
      rows={entries.data}
      getKey={({ artifact_fingerprint, created_at }) => `${artifact_fingerprint} ${created_at}`}
    />
  )
}

const listColumns = (about: EntriesProps): Column<AllowListEntry>[] => [
  {
    title: texts.allowList.artifact,
    sortBy: ({ artifact_name }) => artifact_name,
    render: ({ artifact_name, artifact_fingerprint }) => (
      <>
        <Text className="fingerprint">{artifact_name}</Text>
        <Text size="xs" c="dimmed" className="fingerprint">
          {artifact_fingerprint}
        </Text>
      </>
    ),
  },
  {
    title: texts.allowList.reason,
    sortBy: ({ description }) => description,
    render: ({ description }) => description,
  },
  {
    title: texts.allowList.allowedBy,
    sortBy: ({ created_by }) => created_by,
    render: ({ created_by, created_at, confirmed_decision }) => (
      <>
        {created_by}, <RelativeTime at={created_at} />
        {confirmed_decision && (
          <Text size="xs" c="dimmed" className="long-name">
            {texts.allowList.asked(confirmed_decision.asked_by, confirmed_decision.asked_reason)}
          </Text>
        )}
      </>
    ),
  },
  {
    title: texts.allowList.expires,
    sortBy: ({ expires_at }) => expires_at,
    render: ({ expires_at }) =>
      expires_at === null ? texts.allowList.never : <RelativeTime at={expires_at} />,
  },
  { title: texts.allowList.action, render: entry => <EntryAction {...about} entry={entry} /> },
]

const MAX_NAMES_SHOWN = 5

/** Entries that were requested and that a second person has not confirmed yet. */
function WaitingEntries({ place: { org, environment } }: Pick<EntriesProps, 'place'>) {
  const { data = [] } = useQuery(waitingDecisionsQuery(org))
  const names = data
    .map(readDecision)
    .flatMap(({ kind, subject }) =>
      kind === 'allow' && subject.environment_name === environment ? [subject.artifact_name] : [],
    )
  if (names.length === 0) return null
  return (
    <SecondPersonAlert org={org}>
      {texts.allowList.waiting(formatListUpTo(MAX_NAMES_SHOWN, names), names.length)}
    </SecondPersonAlert>
  )
}

function buildAllowCommand({ org, environment }: Place): string {
  return buildCurl('PUT', buildApiPath('allowlists', org, environment), {
    artifact_fingerprint: 'SHA256_OF_THE_ARTIFACT',
    artifact_name: 'postgres:17',
    description: 'Reviewed',
  })
}

function EntryAction({ place, entry, canChange }: EntriesProps & { entry: AllowListEntry }) {
  const remove = useChange(
    (fingerprint: string) =>
      unwrap(
        api.DELETE('/allowlists/{org}/{env_name}/{fingerprint}', {
          params: { path: { ...getPathParams(place).path, fingerprint } },
        }),
      ),
    { notice: texts.allowList.removed(entry.artifact_name) },
  )
  if (!entry.is_in_force)
    return (
      <Badge color="gray">
        {entry.ended_by === null ? texts.allowList.expired : texts.allowList.endedBy(entry.ended_by)}
      </Badge>
    )
  return (
    canChange && (
      <ConfirmButton
        label={texts.allowList.remove}
        about={texts.allowList.removeAbout(entry.artifact_name)}
        question={texts.allowList.removeQuestion}
        change={remove}
        input={entry.artifact_fingerprint}
      />
    )
  )
}
