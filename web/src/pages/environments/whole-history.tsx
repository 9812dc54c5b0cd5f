// The whole history of an environment in one band, to pick a time.
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { RelativeTime } from '../../parts/time.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import type { TimelineBucket } from './answers.ts'
import type { BandCell } from './band-cell.ts'
import { BandSlider, STEPS } from './band-slider.tsx'
import type { CellRange } from './band-widths.ts'
import { buildLayers, describeBucket } from './buckets.ts'
import { type SnapshotWindow, timelineQuery } from './history-queries.ts'
import { RangeBar } from './range-bar.tsx'
import { historyTexts as texts } from './texts-history.ts'

const BAND_HEIGHT = 28

interface WholeHistoryProps {
  org: string
  environment: string
  latest: number
  selected: number
  /** The snapshots in the band below. */
  detailed: SnapshotWindow
  onSelect: (index: number) => void
}

export function WholeHistory(props: WholeHistoryProps) {
  const { org, environment, latest, selected, detailed, onSelect } = props
  const [range, setRange] = useState<CellRange | null>(null)
  const timeline = useQuery(timelineQuery(org, environment, latest))
  if (timeline.isPending) return <Loading label={texts.timeline.loadingAll} rows={1} height={BAND_HEIGHT} />
  if (timeline.error) return <ErrorAlert error={timeline.error} />
  const { buckets } = timeline.data
  const cells = buckets.map(bucket => buildCell(bucket, selected, detailed))
  return (
    <Stack gap={2}>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {texts.timeline.all(timeline.data.total_snapshots)} <RelativeTime at={timeline.data.from} />
        </Text>
        <Text size="xs" c="dimmed">
          {texts.timeline.now}
        </Text>
      </Group>
      <BandSlider
        label={texts.timeline.wholeHistory}
        cells={cells}
        height={BAND_HEIGHT}
        hasDetail
        latest={latest}
        selected={selected}
        text={texts.timeline.selected(selected, cells.find(({ isSelected }) => isSelected)?.label ?? '')}
        getTarget={key => getTarget(key, buckets, selected, latest)}
        onSelect={onSelect}
        range={range}
        onRange={setRange}
      />
      <Text size="xs" c="dimmed">
        {texts.range.hint}
      </Text>
      {range !== null && (
        <RangeBar
          org={org}
          environment={environment}
          chosen={buckets.slice(range.first, range.last + 1)}
          onClear={() => setRange(null)}
        />
      )}
    </Stack>
  )
}

const isBetween = (bucket: TimelineBucket, first: number, last: number) =>
  bucket.first_index !== null &&
  bucket.last_index !== null &&
  bucket.last_index >= first &&
  bucket.first_index <= last

function buildCell(bucket: TimelineBucket, selected: number, detailed: SnapshotWindow): BandCell {
  return {
    index: bucket.last_index,
    layers: buildLayers(bucket),
    deployments: bucket.deployments,
    label: describeBucket(bucket),
    isSelected: isBetween(bucket, selected, selected),
    isDetailed: isBetween(bucket, detailed.first, detailed.last),
  }
}

/** Steps to the next time span with another snapshot, so that a quiet year is one step. */
function getTarget(key: string, buckets: readonly TimelineBucket[], selected: number, latest: number) {
  if (key === 'Home') return 1
  if (key === 'End') return latest
  const step = STEPS[key]
  if (step === undefined) return undefined
  const ends = [...new Set(buckets.flatMap(({ last_index }) => last_index ?? []))]
  const others =
    step < 0 ? ends.filter(index => index < selected).reverse() : ends.filter(index => index > selected)
  return others[Math.min(Math.abs(step), others.length) - 1] ?? (step < 0 ? 1 : latest)
}
