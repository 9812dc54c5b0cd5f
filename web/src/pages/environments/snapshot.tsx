// What ran at a moment, with the timeline to choose the moment by.
import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { EnvironmentLink, SnapshotLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StateBadge, stateOf } from '../../parts/state-badge.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import type { Environment, Snapshot } from './answers.ts'
import { ArtifactList } from './artifact-list.tsx'
import { MomentForm } from './moment-form.tsx'
import { indexOf, type Place } from './place.ts'
import { snapshotQuery, snapshotWindowQuery } from './queries.ts'
import { reportCommand } from './report-command.ts'
import { sinceWhen } from './since.ts'
import { Timeline, windowAround } from './timeline.tsx'

export function SnapshotTab({ place, environment }: { place: Place; environment: Environment }) {
  const { latest_snapshot_index: latest } = environment
  if (latest === 0) {
    return (
      <Empty title="Nothing was reported yet" command={reportCommand(place.org, environment)}>
        The first report makes the first snapshot.
      </Empty>
    )
  }
  return <SnapshotAtMoment place={place} latest={latest} />
}

function SnapshotAtMoment({ place, latest }: { place: Place; latest: number }) {
  const { org, environment, expression, search } = place
  const navigate = useNavigate()
  const known = indexOf(expression, latest)
  const asked = known === null ? (expression ?? '-1') : String(known)
  const snapshot = useQuery(snapshotQuery(org, environment, asked))
  const selected = known ?? snapshot.data?.index
  const select = (index: number) =>
    void navigate({
      to: '/$org/environments/$environment/snapshots/$expression',
      params: { org, environment, expression: String(index) },
      search,
      replace: expression !== null,
    })
  return (
    <Stack>
      {selected !== undefined && selected >= 1 && selected <= latest && (
        <Timeline org={org} environment={environment} latest={latest} selected={selected} onSelect={select} />
      )}
      {snapshot.isPending ? (
        <Loading />
      ) : snapshot.error ? (
        <Failed error={snapshot.error} />
      ) : (
        <div aria-busy={snapshot.isPlaceholderData}>
          <Stack>
            <SnapshotSummary place={place} snapshot={snapshot.data} latest={latest} />
            <ArtifactList place={place} snapshot={snapshot.data} />
          </Stack>
        </div>
      )}
    </Stack>
  )
}

function SnapshotSummary({ place, snapshot, latest }: { place: Place; snapshot: Snapshot; latest: number }) {
  const { org, environment } = place
  const { index, is_latest } = snapshot
  const count = snapshot.artifact_compliance_count
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Stack gap={4}>
        <Group gap="xs">
          <Title order={2} size="h3">
            Snapshot {index}
            {is_latest ? ' (latest)' : ` of ${latest}`}
          </Title>
          <StateBadge state={stateOf(snapshot.state)} />
        </Group>
        <StateSince place={place} snapshot={snapshot} latest={latest} />
        <Text size="sm">
          {count.true} compliant, {count.false} non-compliant, {count.null} unknown. Taken{' '}
          <Moment at={snapshot.timestamp} />, because of {CAUSES[snapshot.cause] ?? snapshot.cause}.
        </Text>
      </Stack>
      <Stack gap={4}>
        <Group gap="md">
          {index > 1 && (
            <SnapshotLink org={org} environment={environment} index={index - 1}>
              Previous
            </SnapshotLink>
          )}
          {!is_latest && (
            <>
              <SnapshotLink org={org} environment={environment} index={index + 1}>
                Next
              </SnapshotLink>
              <EnvironmentLink org={org} environment={environment}>
                Now
              </EnvironmentLink>
            </>
          )}
          {index > 1 && <CompareWithPrevious place={place} index={index} />}
        </Group>
        <MomentForm place={place} />
      </Stack>
    </SimpleGrid>
  )
}

const CAUSES: Record<string, string> = {
  report: 'a report of what runs',
  evidence: 'new evidence',
  policies: 'a change of policies',
  'allow-list': 'a change of the allow-list',
  members: 'a change of the environments it combines',
}

function CompareWithPrevious({ place, index }: { place: Place; index: number }) {
  return (
    <PageLink
      to="/$org/environments/$environment"
      params={{ org: place.org, environment: place.environment }}
      search={{ tab: 'compare', left: `#${index - 1}`, right: `#${index}` }}
    >
      Compare with previous
    </PageLink>
  )
}

function StateSince({ place, snapshot, latest }: { place: Place; snapshot: Snapshot; latest: number }) {
  const shown = windowAround(snapshot.index, latest)
  const { data = [] } = useQuery(snapshotWindowQuery(place.org, place.environment, shown))
  const since = sinceWhen(data, snapshot.index)
  if (since === null) return null
  return (
    <Text fw={600}>
      {stateOf(snapshot.state)} {since.isExact ? 'since' : 'at least since'} <Moment at={since.from} />
      {since.index !== snapshot.index && (
        <>
          {' '}
          (
          <SnapshotLink org={place.org} environment={place.environment} index={since.index}>
            snapshot {since.index}
          </SnapshotLink>
          )
        </>
      )}
    </Text>
  )
}
