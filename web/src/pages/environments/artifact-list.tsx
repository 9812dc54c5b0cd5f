// The artifacts of a snapshot, what is wrong first, a page at a time, with filters that are in the address.
import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useRole } from '../../parts/use-role.ts'
import { TextFilter } from '../../ui/filters.tsx'
import { Pager } from '../../ui/pager.tsx'
import { pickOne, readPage } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import type { SnapshotArtifactPage } from './answers.ts'
import { ArtifactCard, ExitedArtifact } from './artifact-card.tsx'
import { type Place, useChangeSearch } from './place.ts'
import { STATES } from './routes.ts'

interface Named {
  fingerprint: string
  name: string
  environment_name?: string
}

const keyOf = ({ fingerprint, name, environment_name = '' }: Named) =>
  `${fingerprint} ${name} ${environment_name}`

interface ArtifactListProps {
  place: Place
  page: SnapshotArtifactPage
  /** Whether the environment is: then nothing can be allowed in it. */
  isArchived: boolean
}

export function ArtifactList({ place, page, isArchived }: ArtifactListProps) {
  const change = useChangeSearch()
  const { isMember } = useRole(place.org)
  const canAllow = isMember && page.snapshot.is_latest && !isArchived
  const count = page.snapshot.artifact_compliance_count
  const running = count.true + count.false + count.null
  return (
    <Stack>
      <Group justify="space-between" align="end">
        <Title order={2} size="h3">
          Running ({running.toLocaleString()})
        </Title>
        <Filters place={place} />
      </Group>
      {running === 0 && <Empty title="Nothing runs here" />}
      {running > 0 && page.total_count === 0 && <Empty title="No artifact fits the filters" />}
      {page.total_count > 0 && page.artifacts.length === 0 && (
        <Empty title="There are fewer pages">Choose one of them.</Empty>
      )}
      {page.artifacts.map(artifact => (
        <ArtifactCard
          key={keyOf(artifact)}
          org={place.org}
          artifact={artifact}
          reported_by={page.snapshot.reported_by}
          allow_in={canAllow ? (artifact.environment_name ?? place.environment) : null}
        />
      ))}
      {page.total_count > 0 && (
        <Pager
          page={page.page}
          page_count={page.total_pages}
          total={page.total_count}
          noun="artifact"
          onChange={chosen => change({ page: readPage(chosen) })}
        />
      )}
      <Stopped place={place} page={page} />
    </Stack>
  )
}

function Stopped({ place, page: { exited, exited_count } }: { place: Place; page: SnapshotArtifactPage }) {
  if (exited_count === 0) return null
  return (
    <>
      <Title order={2} size="h3">
        Stopped since the snapshot before ({exited_count.toLocaleString()})
      </Title>
      {exited.map(artifact => (
        <ExitedArtifact key={keyOf(artifact)} org={place.org} artifact={artifact} />
      ))}
      {exited_count > exited.length && (
        <Text size="sm">and {(exited_count - exited.length).toLocaleString()} more, in the log</Text>
      )}
    </>
  )
}

function Filters({ place }: { place: Place }) {
  const change = useChangeSearch()
  return (
    <Group gap="xs" align="end">
      <TextFilter
        label="Name or fingerprint"
        value={place.search.artifact}
        onChange={artifact => change({ artifact })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Filter by compliance"
        value={place.search.state ?? 'all'}
        onChange={state => change({ state: pickOne(state, STATES) })}
        data={[
          { value: 'all', label: 'All' },
          { value: 'non-compliant', label: 'Non-compliant' },
          { value: 'compliant', label: 'Compliant' },
          { value: 'unknown', label: 'Unknown' },
        ]}
      />
    </Group>
  )
}
