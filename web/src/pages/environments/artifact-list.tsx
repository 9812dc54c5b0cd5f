// The artifacts of a snapshot, what is wrong first, with filters that are in the address.
import { Button, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { oneOf } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import type { Snapshot, SnapshotArtifact } from './answers.ts'
import { ArtifactCard, ExitedArtifact } from './artifact-card.tsx'
import { type Place, useChangeSearch } from './place.ts'
import { STATES } from './routes.ts'

const SHOWN_AT_FIRST = 50

const rank = { 'NON-COMPLIANT': 0, UNKNOWN: 1, COMPLIANT: 2 } as const

const isSought = (artifact: SnapshotArtifact, { search }: Place) =>
  artifact.name.toLowerCase().includes((search.artifact ?? '').toLowerCase()) &&
  (search.state === undefined || artifact.compliance_state.toLowerCase() === search.state)

const keyOf = ({ fingerprint, name, environment_name = '' }: SnapshotArtifact) =>
  `${fingerprint} ${name} ${environment_name}`

export function ArtifactList({ place, snapshot }: { place: Place; snapshot: Snapshot }) {
  const [limit, setLimit] = useState(SHOWN_AT_FIRST)
  const running = snapshot.artifacts.filter(({ annotation }) => annotation.now > 0)
  const exited = snapshot.artifacts.filter(({ annotation }) => annotation.now === 0)
  const sought = running
    .filter(artifact => isSought(artifact, place))
    .toSorted((a, b) => rank[a.compliance_state] - rank[b.compliance_state] || a.name.localeCompare(b.name))
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2} size="h3">
          Running ({running.length})
        </Title>
        <Filters place={place} />
      </Group>
      {running.length === 0 && <Empty title="Nothing runs here" />}
      {running.length > 0 && sought.length === 0 && <Empty title="No artifact fits the filters" />}
      {sought.slice(0, limit).map(artifact => (
        <ArtifactCard key={keyOf(artifact)} org={place.org} artifact={artifact} />
      ))}
      {sought.length > limit && (
        <Button variant="default" onClick={() => setLimit(limit + SHOWN_AT_FIRST)}>
          Show more ({sought.length - limit} left)
        </Button>
      )}
      {exited.length > 0 && (
        <>
          <Title order={2} size="h3">
            Stopped since the snapshot before ({exited.length})
          </Title>
          {exited.slice(0, limit).map(artifact => (
            <ExitedArtifact key={keyOf(artifact)} org={place.org} artifact={artifact} />
          ))}
          {exited.length > limit && <Text size="sm">and {exited.length - limit} more, in the log</Text>}
        </>
      )}
    </Stack>
  )
}

function Filters({ place }: { place: Place }) {
  const change = useChangeSearch()
  return (
    <Group gap="xs">
      <TextInput
        size="xs"
        aria-label="Filter by name"
        placeholder="Filter by name"
        value={place.search.artifact ?? ''}
        onChange={({ currentTarget }) => change({ artifact: currentTarget.value || undefined })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Filter by compliance"
        value={place.search.state ?? 'all'}
        onChange={state => change({ state: oneOf(state, STATES) })}
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
