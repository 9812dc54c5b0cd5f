// The way through the history of an environment: a window of snapshots at a time, moved by keys, clicks and dragging.
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { Moment } from '../../parts/moment.tsx'
import { stateOf } from '../../parts/state-badge.tsx'
import { counted } from '../../ui/counted.ts'
import { Failed } from '../../ui/states.tsx'
import type { Deployment, SnapshotListItem } from './answers.ts'
import { Band, type BandCell, BandLegend } from './band.tsx'
import { deploymentsQuery, type SnapshotWindow, snapshotWindowQuery } from './queries.ts'

/** What fits on a phone, and loads in 14 KB. */
const WINDOW = 80
const PAGE_STEP = 10
const BAND_HEIGHT = 44

interface TimelineProps {
  org: string
  environment: string
  latest: number
  selected: number
  onSelect: (index: number) => void
}

/** Windows are counted from the latest snapshot, so that now is always at the end of one. */
export function windowAround(selected: number, latest: number): SnapshotWindow {
  const last = latest - Math.floor((latest - selected) / WINDOW) * WINDOW
  return { first: Math.max(1, last - WINDOW + 1), last }
}

export function Timeline({ org, environment, latest, selected, onSelect }: TimelineProps) {
  const shown = windowAround(selected, latest)
  const snapshots = useQuery(snapshotWindowQuery(org, environment, shown))
  const listed = snapshots.data ?? []
  const deployments = useDeployments(org, environment, listed)
  if (snapshots.isPending) return <Skeleton height={BAND_HEIGHT} aria-label="Loading the timeline" />
  if (snapshots.error) return <Failed error={snapshots.error} />
  const cells = listed.map(each => cellOf(each, deployments))
  return (
    <Stack gap="xs" component="section" aria-label="Timeline of snapshots">
      <Slider cells={cells} latest={latest} selected={selected} onSelect={onSelect} />
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          <Moment at={listed[0]?.from} />
        </Text>
        <BandLegend />
        <Text size="xs" c="dimmed">
          {shown.last === latest ? 'now' : <Moment at={listed.at(-1)?.to} />}
        </Text>
      </Group>
      {latest > WINDOW && (
        <Group gap="xs">
          <Button
            size="compact-xs"
            variant="default"
            disabled={shown.first === 1}
            onClick={() => onSelect(shown.first - 1)}
          >
            Older
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            disabled={shown.last === latest}
            onClick={() => onSelect(Math.min(shown.last + WINDOW, latest))}
          >
            Newer
          </Button>
          <Text size="xs" c="dimmed">
            Snapshots {shown.first} to {shown.last} of {latest}
          </Text>
        </Group>
      )}
    </Stack>
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

/** By time, because the deployments of a logical environment count the snapshots of its members. */
function cellOf(snapshot: SnapshotListItem, deployments: readonly Deployment[]): BandCell {
  const end = snapshot.to === 0 ? Number.POSITIVE_INFINITY : snapshot.to
  const started = deployments.filter(
    ({ deployed_at }) => deployed_at >= snapshot.from && deployed_at < end,
  ).length
  const moment = new Date(snapshot.from * 1000).toLocaleString()
  const marks = started === 0 ? '' : `, ${counted(started, 'deployment')}`
  return {
    index: snapshot.index,
    state: snapshot.state,
    weight: 1,
    deployments: started,
    label: `Snapshot ${snapshot.index}: ${stateOf(snapshot.state)}, ${moment}${marks}`,
  }
}

const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -PAGE_STEP,
  PageUp: PAGE_STEP,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

interface SliderProps {
  cells: readonly BandCell[]
  latest: number
  selected: number
  onSelect: (index: number) => void
}

function Slider({ cells, latest, selected, onSelect }: SliderProps) {
  const ref = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    onSelect(Math.min(latest, Math.max(1, selected + step)))
  }
  const onPointer = (event: PointerEvent) => {
    if (event.buttons !== 1 || ref.current === null) return
    const { left, width } = ref.current.getBoundingClientRect()
    const position = Math.floor(((event.clientX - left) / width) * cells.length)
    const cell = cells[Math.min(cells.length - 1, Math.max(0, position))]
    if (cell && cell.index !== selected) onSelect(cell.index)
  }
  return (
    <div
      ref={ref}
      className="band-slider"
      role="slider"
      tabIndex={0}
      aria-label="Snapshot"
      aria-valuemin={1}
      aria-valuemax={latest}
      aria-valuenow={selected}
      aria-valuetext={cells.find(({ index }) => index === selected)?.label ?? `Snapshot ${selected}`}
      onKeyDown={onKeyDown}
      onPointerDown={onPointer}
      onPointerMove={onPointer}
    >
      <Band cells={cells} selected={selected} height={BAND_HEIGHT} hasMarks />
    </div>
  )
}
