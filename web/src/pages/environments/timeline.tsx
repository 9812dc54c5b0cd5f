// The timeline of an environment: the whole history in one band, and below it one window of snapshots.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { RelativeTime } from '../../parts/time.tsx'
import { useClock } from '../../parts/use-clock.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import type { SnapshotListItem } from './answers.ts'
import { BandLegend } from './band-look.tsx'
import { BandSlider, STEPS } from './band-slider.tsx'
import {
  deploymentsQuery,
  type SnapshotWindow,
  snapshotWindowQuery,
  timelineQuery,
} from './history-queries.ts'
import { type Silence, splitAtSilences } from './silences.ts'
import { historyTexts as texts } from './texts-history.ts'
import { buildCell } from './timeline-cells.ts'
import { WholeHistory } from './whole-history.tsx'

/** Fits on a phone, and loads in 14 KB. */
const WINDOW = 80
const MINUTE_MS = 60_000
const BAND_HEIGHT = 44

interface TimelineProps {
  org: string
  environment: string
  /** Since when the environment is stale; null if it is not. */
  stale_since: number | null
  latest: number
  selected: number
  onSelect: (index: number) => void
}

/** Windows are counted back from the latest snapshot, so that it is always at the end of one. */
export function findWindow(selected: number, latest: number): SnapshotWindow {
  const last = latest - Math.floor((latest - selected) / WINDOW) * WINDOW
  return { first: Math.max(1, last - WINDOW + 1), last }
}

export function Timeline(props: TimelineProps) {
  const { latest, selected } = props
  const shown = findWindow(selected, latest)
  return (
    <Stack gap="xs" component="section" aria-label={texts.timeline.label}>
      {latest > 1 && <WholeHistory {...props} detailed={shown} />}
      <DetailedWindow {...props} shown={shown} />
    </Stack>
  )
}

function DetailedWindow({
  org,
  environment,
  stale_since,
  latest,
  selected,
  shown,
  onSelect,
}: TimelineProps & { shown: SnapshotWindow }) {
  const snapshots = useQuery(snapshotWindowQuery(org, environment, shown))
  const now = useClock(now_ms => Math.floor(now_ms / MINUTE_MS) * (MINUTE_MS / 1000))
  const listed = (snapshots.data ?? []).map(each =>
    each.index === latest && stale_since !== null ? { ...each, is_stale: true } : each,
  )
  const deployments = useDeployments(org, environment, listed)
  const silences = useSilences({ org, environment, latest, stale_since })
  if (snapshots.isPending) return <Loading label={texts.timeline.loading} rows={1} height={BAND_HEIGHT} />
  if (snapshots.error) return <ErrorAlert error={snapshots.error} />
  const cells = listed.flatMap(each =>
    splitAtSilences(buildCell(each, deployments, selected, now), each, silences, now),
  )
  return (
    <>
      <BandSlider
        label={texts.timeline.snapshot}
        cells={cells}
        height={BAND_HEIGHT}
        hasDetail={false}
        latest={latest}
        selected={selected}
        text={cells.find(({ isSelected }) => isSelected)?.label ?? texts.timeline.snapshotAt(selected)}
        getTarget={key => getTarget(key, selected)}
        onSelect={onSelect}
      />
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          <RelativeTime at={listed[0]?.from} />
        </Text>
        <BandLegend hasStale={cells.some(({ layers }) => layers.some(({ is_stale }) => is_stale))} />
        <Text size="xs" c="dimmed">
          {shown.last === latest ? texts.timeline.now : <RelativeTime at={listed.at(-1)?.to} />}
        </Text>
      </Group>
      {latest > WINDOW && <Windows shown={shown} latest={latest} onSelect={onSelect} />}
    </>
  )
}

/** The past gaps, and the current one, which begins on an open page without a request. */
function useSilences({
  org,
  environment,
  latest,
  stale_since,
}: Pick<TimelineProps, 'org' | 'environment' | 'latest' | 'stale_since'>): Silence[] {
  const { data } = useQuery(timelineQuery(org, environment, latest))
  const past = (data?.silences ?? []).filter(({ to }) => to !== null)
  return stale_since === null ? past : [...past, { from: stale_since, to: null }]
}

interface WindowsProps {
  shown: SnapshotWindow
  latest: number
  onSelect: (index: number) => void
}

function Windows({ shown, latest, onSelect }: WindowsProps) {
  return (
    <Group gap="xs">
      <Button
        size="compact-xs"
        variant="default"
        disabled={shown.first === 1}
        onClick={() => onSelect(shown.first - 1)}
      >
        {texts.timeline.older}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        disabled={shown.last === latest}
        onClick={() => onSelect(Math.min(shown.last + WINDOW, latest))}
      >
        {texts.timeline.newer}
      </Button>
      <Text size="xs" c="dimmed">
        {texts.timeline.range(shown.first, shown.last, latest)}
      </Text>
    </Group>
  )
}

function useDeployments(org: string, environment: string, listed: readonly SnapshotListItem[]) {
  const from = Math.floor(listed[0]?.from ?? 0)
  const until = listed.at(-1)?.to
  const to = Math.ceil(until || (listed.at(-1)?.from ?? 0) + 1)
  const { data } = useQuery({
    ...deploymentsQuery(org, environment, from, to),
    enabled: listed.length > 0,
  })
  return data?.deployments ?? []
}

function getTarget(key: string, selected: number): number | undefined {
  const step = STEPS[key]
  return step === undefined ? undefined : selected + step
}
