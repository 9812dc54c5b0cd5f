// The allow-list of an environment: artifacts that may run although a policy rejects them.
import { Badge, Stack, Switch, Table, Text, Title, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { readDecision, SecondPersonAlert, waitingDecisionsQuery } from '../../parts/waiting-decisions.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { formatListUpTo } from '../../ui/format-list.ts'
import { readSwitch } from '../../ui/search-params.ts'
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
    <Table.ScrollContainer minWidth={680}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.allowList.artifact}</Table.Th>
            <Table.Th>{texts.allowList.reason}</Table.Th>
            <Table.Th>{texts.allowList.allowedBy}</Table.Th>
            <Table.Th>{texts.allowList.expires}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{texts.allowList.action}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.data.map(entry => (
            <EntryRow
              key={`${entry.artifact_fingerprint} ${entry.created_at}`}
              place={place}
              entry={entry}
              canChange={canChange}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

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

function EntryRow({ place, entry, canChange }: EntriesProps & { entry: AllowListEntry }) {
  const remove = useChange(
    (fingerprint: string) =>
      unwrap(
        api.DELETE('/allowlists/{org}/{env_name}/{fingerprint}', {
          params: { path: { ...getPathParams(place).path, fingerprint } },
        }),
      ),
    { notice: texts.allowList.removed(entry.artifact_name) },
  )
  return (
    <Table.Tr>
      <Table.Td>
        <Text className="fingerprint">{entry.artifact_name}</Text>
        <Text size="xs" c="dimmed" className="fingerprint">
          {entry.artifact_fingerprint}
        </Text>
      </Table.Td>
      <Table.Td>{entry.description}</Table.Td>
      <Table.Td>
        {entry.created_by}, <RelativeTime at={entry.created_at} />
      </Table.Td>
      <Table.Td>
        {entry.expires_at === null ? texts.allowList.never : <RelativeTime at={entry.expires_at} />}
      </Table.Td>
      <Table.Td>
        {entry.is_in_force ? (
          canChange && (
            <ConfirmButton
              label={texts.allowList.remove}
              about={texts.allowList.removeAbout(entry.artifact_name)}
              question={texts.allowList.removeQuestion}
              change={remove}
              input={entry.artifact_fingerprint}
            />
          )
        ) : (
          <Badge color="gray">
            {entry.ended_by === null ? texts.allowList.expired : texts.allowList.endedBy(entry.ended_by)}
          </Badge>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
