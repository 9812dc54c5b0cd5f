// The history of an environment as a timeline and as a table.
import { Stack, Table, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SnapshotLink } from '../../parts/links.tsx'
import { PER_PAGE } from '../../parts/schemas.ts'
import { computeStates, StateBadges } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { formatDuration } from '../../ui/duration.ts'
import { formatListUpTo } from '../../ui/format-list.ts'
import { Pager } from '../../ui/pager.tsx'
import { readPage } from '../../ui/search-params.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import type { Environment, SnapshotListItem } from './answers.ts'
import { snapshotPageQuery } from './history-queries.ts'
import { NothingReported } from './nothing-reported.tsx'
import { type Place, resolveIndex, useChangeSearch, useGoToSnapshot } from './place.ts'
import { causeTexts } from './texts-cause.ts'
import { historyTexts as texts } from './texts-history.ts'
import { Timeline } from './timeline.tsx'

const CONTROLS_NAMED = 3

export function SnapshotsTab({ place, environment }: { place: Place; environment: Environment }) {
  const goTo = useGoToSnapshot()
  const { latest_snapshot_index: latest } = environment
  if (latest === 0) {
    return <NothingReported environment={environment} />
  }
  return (
    <Stack>
      <Timeline
        org={place.org}
        environment={place.environment}
        stale_since={environment.is_stale ? environment.stale_since : null}
        latest={latest}
        selected={resolveIndex(place.expression, latest) ?? latest}
        onSelect={goTo}
      />
      <Title order={2} size="h3">
        {texts.snapshots.title}
      </Title>
      <SnapshotTable place={place} environment={environment} />
    </Stack>
  )
}

function SnapshotTable({ place, environment }: { place: Place; environment: Environment }) {
  const { latest_snapshot_index: latest, is_stale } = environment
  const change = useChangeSearch()
  const page = place.search.page ?? 1
  const snapshots = useQuery(snapshotPageQuery(place.org, place.environment, page))
  if (snapshots.isPending) return <Loading />
  if (snapshots.error) return <ErrorAlert error={snapshots.error} />
  return (
    <Stack>
      <Table.ScrollContainer minWidth={520}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.snapshots.snapshot}</Table.Th>
              <Table.Th>{texts.snapshots.compliance}</Table.Th>
              <Table.Th>{texts.snapshots.taken}</Table.Th>
              <Table.Th>{texts.snapshots.duration}</Table.Th>
              <Table.Th>{texts.snapshots.cause}</Table.Th>
              <Table.Th>{texts.snapshots.artifacts}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {snapshots.data.map(each => (
              <SnapshotRow
                key={each.index}
                place={place}
                snapshot={each.index === latest && is_stale ? { ...each, is_stale } : each}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pager
        page={page}
        page_count={Math.ceil(latest / PER_PAGE)}
        total={latest}
        noun="snapshot"
        onChange={chosen => change({ page: readPage(chosen) })}
      />
    </Stack>
  )
}

function SnapshotRow({ place, snapshot }: { place: Place; snapshot: SnapshotListItem }) {
  const count = snapshot.artifact_compliance_count
  return (
    <Table.Tr>
      <Table.Td>
        <SnapshotLink org={place.org} environment={place.environment} index={snapshot.index}>
          {snapshot.index}
        </SnapshotLink>
      </Table.Td>
      <Table.Td>
        <StateBadges by="policies" states={computeStates(snapshot)} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={snapshot.from} />
      </Table.Td>
      <Table.Td>{snapshot.to === 0 ? texts.snapshots.current : formatDuration(snapshot.duration)}</Table.Td>
      <Table.Td>{describeCause(snapshot)}</Table.Td>
      <Table.Td>{texts.snapshot.counts(count.true ?? 0, count.false ?? 0, count.null ?? 0)}</Table.Td>
    </Table.Tr>
  )
}

function describeCause({ cause, expired_decisions }: SnapshotListItem): string {
  const named = causeTexts.cell[cause] ?? cause
  const controls = [...new Set(expired_decisions.flatMap(({ control }) => control ?? []))]
  return controls.length === 0
    ? named
    : causeTexts.onControls(named, formatListUpTo(CONTROLS_NAMED, controls))
}
