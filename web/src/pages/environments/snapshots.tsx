// The history of an environment as a timeline and as a table.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SnapshotLink } from '../../parts/links.tsx'
import { PER_PAGE } from '../../parts/schemas.ts'
import { computeStates, StateBadges } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { formatDuration } from '../../ui/duration.ts'
import { formatListUpTo } from '../../ui/format-list.ts'
import { Pager } from '../../ui/pager.tsx'
import { readPage } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
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
      <DataTable
        caption={texts.snapshots.title}
        columns={listColumns(place)}
        rows={snapshots.data.map(each => (each.index === latest && is_stale ? { ...each, is_stale } : each))}
        getKey={({ index }) => String(index)}
      />
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

/** No column sorts: a page is only part of the history. */
const listColumns = ({ org, environment }: Place): Column<SnapshotListItem>[] => [
  {
    title: texts.snapshots.snapshot,
    render: ({ index }) => (
      <SnapshotLink org={org} environment={environment} index={index}>
        {index}
      </SnapshotLink>
    ),
  },
  {
    title: texts.snapshots.compliance,
    render: snapshot => <StateBadges by="policies" states={computeStates(snapshot)} />,
  },
  { title: texts.snapshots.taken, render: ({ from }) => <RelativeTime at={from} /> },
  {
    title: texts.snapshots.duration,
    render: ({ to, duration }) => (to === 0 ? texts.snapshots.current : formatDuration(duration)),
  },
  { title: texts.snapshots.cause, render: describeCause },
  {
    title: texts.snapshots.artifacts,
    render: ({ artifact_compliance_count: count }) =>
      texts.snapshot.counts(count.true ?? 0, count.false ?? 0, count.null ?? 0),
  },
]

function describeCause({ cause, expired_decisions }: SnapshotListItem): string {
  const named = causeTexts.cell[cause] ?? cause
  const controls = [...new Set(expired_decisions.flatMap(({ control }) => control ?? []))]
  return controls.length === 0
    ? named
    : causeTexts.onControls(named, formatListUpTo(CONTROLS_NAMED, controls))
}
