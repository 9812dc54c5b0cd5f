// The artifacts of a snapshot, below the timeline that selects it.
import { Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { AuditPackageLink } from '../../parts/audit-package-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import type { Environment, SnapshotSummary } from './answers.ts'
import { ArtifactList } from './artifact-list.tsx'
import { snapshotArtifactsQuery } from './history-queries.ts'
import { NothingReported } from './nothing-reported.tsx'
import { getArtifactFilter, type Place, resolveIndex, useGoToSnapshot } from './place.ts'
import { SnapshotHead } from './snapshot-head.tsx'
import { StepLink } from './step-link.tsx'
import { historyTexts as texts } from './texts-history.ts'
import { Timeline } from './timeline.tsx'

export function SnapshotTab({ place, environment }: { place: Place; environment: Environment }) {
  const { latest_snapshot_index: latest } = environment
  if (latest === 0) {
    return <NothingReported environment={environment} />
  }
  const known = resolveIndex(place.expression, latest)
  if (known !== null && (known < 1 || known > latest)) {
    return <NoSuchSnapshot place={place} latest={latest} />
  }
  return <Snapshot place={place} current={environment} />
}

function NoSuchSnapshot({ place, latest }: { place: Place; latest: number }) {
  return (
    <Empty title={texts.snapshot.noSuch(place.expression ?? '', latest)}>
      <StepLink place={place} index={null}>
        {texts.snapshot.goToLatest}
      </StepLink>
    </Empty>
  )
}

/** `current`: the environment as it is now. */
function Snapshot({ place, current }: { place: Place; current: Environment }) {
  const { org, environment, expression } = place
  const { latest_snapshot_index: latest, stale_since, archived } = current
  const goTo = useGoToSnapshot()
  const known = resolveIndex(expression, latest)
  const requested = known === null ? (expression ?? '-1') : String(known)
  const page = useQuery(snapshotArtifactsQuery(org, environment, requested, getArtifactFilter(place)))
  const selected = known ?? page.data?.snapshot.index
  usePrefetchNeighbours(place, page.isPlaceholderData ? undefined : page.data?.snapshot.index, latest)
  return (
    <Stack>
      {selected !== undefined && (
        <Timeline
          org={org}
          environment={environment}
          stale_since={current.is_stale ? current.stale_since : null}
          latest={latest}
          selected={selected}
          onSelect={goTo}
        />
      )}
      {page.isPending ? (
        <Loading />
      ) : page.error ? (
        <>
          <ErrorAlert error={page.error} />
          <Text>
            <StepLink place={place} index={null}>
              {texts.snapshot.goToLatest}
            </StepLink>
          </Text>
        </>
      ) : (
        // The previous snapshot stays until the next has loaded, so that nothing jumps.
        <Stack aria-busy={page.isPlaceholderData} className={page.isPlaceholderData ? 'is-old' : ''}>
          <SnapshotHead
            place={place}
            snapshot={withStaleness(page.data.snapshot, current)}
            stale_since={stale_since}
            isOld={page.isPlaceholderData}
          />
          <Group justify="end">
            <AuditPackageLink
              of={['snapshots', place.org, place.environment, String(page.data.snapshot.index)]}
            />
          </Group>
          <ArtifactList place={place} page={page.data} isArchived={archived} />
        </Stack>
      )}
    </Stack>
  )
}

/** The latest snapshot of an environment that has become stale since it was loaded is stale too. */
function withStaleness(snapshot: SnapshotSummary, { is_stale }: Environment): SnapshotSummary {
  return snapshot.is_latest && is_stale ? { ...snapshot, is_stale } : snapshot
}

/** Preloads the neighbouring snapshots, so that a step shows immediately. */
function usePrefetchNeighbours(place: Place, index: number | undefined, latest: number) {
  const client = useQueryClient()
  const { org, environment } = place
  const { name, compliance } = getArtifactFilter(place)
  useEffect(() => {
    if (index === undefined) return
    for (const neighbour of [index - 1, index + 1]) {
      if (neighbour < 1 || neighbour > latest) continue
      const filter = { ...(name && { name }), ...(compliance && { compliance }) }
      void client.prefetchQuery(snapshotArtifactsQuery(org, environment, String(neighbour), filter))
    }
  }, [client, org, environment, name, compliance, index, latest])
}
