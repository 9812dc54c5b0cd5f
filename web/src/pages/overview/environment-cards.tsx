// A card for each environment: its state now, since when, and its latest history as a band.
import { Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { EnvironmentLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { environmentsQuery } from '../../parts/queries.ts'
import { StateBadge, stateOf, urgency } from '../../parts/state-badge.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import type { Environment, SnapshotListItem } from '../environments/answers.ts'
import { Band, type BandCell } from '../environments/band.tsx'
import { EnvironmentTable } from '../environments/list.tsx'
import { latestSnapshotsQuery } from '../environments/queries.ts'
import { sinceWhen } from '../environments/since.ts'

const CARDS_SHOWN = 24
const SNAPSHOTS_DRAWN = 40
const BAND_HEIGHT = 20
const NARROWEST_SHARE = 30

export function EnvironmentCards({ org }: { org: string }) {
  const environments = useQuery(environmentsQuery(org))
  if (environments.isPending) return <Loading />
  if (environments.error) return <Failed error={environments.error} />
  if (environments.data.length === 0) return <EnvironmentTable org={org} />
  const ordered = environments.data.toSorted(
    (a, b) => urgency(a.state) - urgency(b.state) || a.name.localeCompare(b.name),
  )
  const red = ordered.filter(({ state }) => state === false).length
  return (
    <section>
      <Title order={2} size="h3">
        Environments
      </Title>
      <Text mb="sm">
        {red === 0
          ? 'No environment is non-compliant.'
          : `${red} of ${ordered.length} ${red === 1 ? 'is' : 'are'} non-compliant.`}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
        {ordered.slice(0, CARDS_SHOWN).map(environment => (
          <EnvironmentCard key={environment.name} org={org} environment={environment} />
        ))}
      </SimpleGrid>
      {ordered.length > CARDS_SHOWN && (
        <Text mt="sm">
          <PageLink to="/$org/environments" params={{ org }}>
            All {ordered.length} environments
          </PageLink>
        </Text>
      )}
    </section>
  )
}

function EnvironmentCard({ org, environment }: { org: string; environment: Environment }) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>()
  const snapshots = useQuery({
    ...latestSnapshotsQuery(org, environment.name, SNAPSHOTS_DRAWN),
    enabled: inViewport && environment.latest_snapshot_index > 0,
  })
  return (
    <Card withBorder ref={ref} padding="sm">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="start">
          <Title order={3} size="h4" className="long-name">
            <EnvironmentLink org={org} environment={environment.name} />
          </Title>
          <StateBadge state={stateOf(environment.state)} />
        </Group>
        {environment.latest_snapshot_index === 0 ? (
          <Text size="sm">Nothing was reported yet.</Text>
        ) : snapshots.error ? (
          <Failed error={snapshots.error} />
        ) : (
          <History snapshots={snapshots.data?.toReversed() ?? []} />
        )}
        <Text size="xs" c="dimmed">
          Last change <Moment at={environment.last_changed_at} />
        </Text>
      </Stack>
    </Card>
  )
}

function History({ snapshots }: { snapshots: readonly SnapshotListItem[] }) {
  const latest = snapshots.at(-1)
  if (latest === undefined) return <Loading rows={1} />
  const since = sinceWhen(snapshots, latest.index)
  const count = latest.artifact_compliance_count
  return (
    <>
      <Text size="sm">
        {count.false ?? 0} of {(count.true ?? 0) + (count.false ?? 0) + (count.null ?? 0)} artifacts
        non-compliant
        {since !== null && (
          <>
            ; {stateOf(latest.state).toLowerCase()} {since.isExact ? 'since' : 'at least since'}{' '}
            <Moment at={since.from} />
          </>
        )}
      </Text>
      <Band cells={cellsOf(snapshots)} selected={null} height={BAND_HEIGHT} hasMarks={false} />
      <Text size="xs" c="dimmed">
        {snapshots.length === 1 ? 'One snapshot' : `The last ${snapshots.length} snapshots`}, since{' '}
        <Moment at={snapshots[0]?.from} />: {shares(snapshots)} of the time
      </Text>
    </>
  )
}

const lasted = (some: readonly SnapshotListItem[]) => some.reduce((sum, { duration }) => sum + duration, 0)

/** As wide as it lasted, and never so narrow that it is overlooked. */
function cellsOf(snapshots: readonly SnapshotListItem[]): BandCell[] {
  const narrowest = lasted(snapshots) / NARROWEST_SHARE
  return snapshots.map(({ index, state, duration, from }) => ({
    index,
    state,
    weight: Math.max(duration, narrowest),
    deployments: 0,
    label: `Snapshot ${index}: ${stateOf(state)}, ${new Date(from * 1000).toLocaleString()}`,
  }))
}

/** The picture in words, for those who do not see it. */
function shares(snapshots: readonly SnapshotListItem[]): string {
  return [true, false, null]
    .map(state => ({ state, seconds: lasted(snapshots.filter(each => each.state === state)) }))
    .filter(({ seconds }) => seconds > 0)
    .map(({ state, seconds }) => `${percent(seconds / lasted(snapshots))} ${stateOf(state).toLowerCase()}`)
    .join(', ')
}

/** Rounded away from all and nothing, which would be untrue. */
function percent(share: number): string {
  const rounded = Math.round(share * 100)
  if (rounded === 0) return 'less than 1%'
  return rounded === 100 && share < 1 ? 'more than 99%' : `${rounded}%`
}
