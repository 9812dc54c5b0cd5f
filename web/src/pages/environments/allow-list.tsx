// What may run in an environment although a policy refuses it: the list, and taking off.
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
import { type Place, pathParams, useChangeSearch } from './place.ts'
import { allowListQuery } from './queries.ts'

export function AllowListTab({ place, environment }: { place: Place; environment: Environment }) {
  const change = useChangeSearch()
  const { isMember } = useRole(place.org)
  const canChange = isMember && !environment.archived
  if (environment.type === 'logical') {
    return (
      <Empty title="A logical environment has no allow-list of its own">
        Each of the environments that it combines has its own.
      </Empty>
    )
  }
  return (
    <Stack>
      <Text>
        What is on the list counts as compliant here, whatever the policies say, until it is taken off or its
        time is over.
      </Text>
      <Switch
        label="Also what was ended"
        checked={place.search.include_ended ?? false}
        onChange={({ currentTarget }) => change({ include_ended: readSwitch(currentTarget.checked) })}
      />
      <Entries place={place} canChange={canChange} />
      <WaitingEntries place={place} />
      {canChange && (
        <>
          <Title order={2} size="h3">
            Allow an artifact
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
    return <Empty title="Nothing is on the allow-list" {...(canChange && { command: allowCommand(place) })} />
  return (
    <Table.ScrollContainer minWidth={680}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Artifact</Table.Th>
            <Table.Th>Reason</Table.Th>
            <Table.Th>Allowed by</Table.Th>
            <Table.Th>Until</Table.Th>
            <Table.Th>
              <VisuallyHidden>Action</VisuallyHidden>
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

const NAMES_SHOWN = 5

/** Those that somebody asked for, and nobody has confirmed. */
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
      {formatListUpTo(NAMES_SHOWN, names)} {names.length === 1 ? 'is' : 'are'} not allowed yet.
    </SecondPersonAlert>
  )
}

function allowCommand({ org, environment }: Place): string {
  return buildCurl('PUT', buildApiPath('allowlists', org, environment), {
    artifact_fingerprint: 'SHA256_OF_THE_ARTIFACT',
    artifact_name: 'postgres:17',
    description: 'Reviewed',
  })
}

function EntryRow({ place, entry, canChange }: EntriesProps & { entry: AllowListEntry }) {
  const takeOff = useChange(
    (fingerprint: string) =>
      unwrap(
        api.DELETE('/allowlists/{org}/{env_name}/{fingerprint}', {
          params: { path: { ...pathParams(place).path, fingerprint } },
        }),
      ),
    { notice: `${entry.artifact_name} is off the list` },
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
      <Table.Td>{entry.expires_at === null ? 'no end' : <RelativeTime at={entry.expires_at} />}</Table.Td>
      <Table.Td>
        {entry.is_in_force ? (
          canChange && (
            <ConfirmButton
              label="Take off"
              about={`the list: ${entry.artifact_name}`}
              question="It is judged by the policies again at once. The entry stays in the history."
              change={takeOff}
              input={entry.artifact_fingerprint}
            />
          )
        ) : (
          <Badge color="gray">Ended{entry.ended_by === null ? '' : ` by ${entry.ended_by}`}</Badge>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
