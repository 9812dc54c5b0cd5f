// The artifacts of a snapshot, non-compliant ones first, with pages and filters kept in the URL.
import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useRole } from '../../parts/use-role.ts'
import { TextFilter } from '../../ui/filters.tsx'
import { Pager } from '../../ui/pager.tsx'
import { pickOne, readPage } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import type { SnapshotArtifactPage } from './answers.ts'
import { ArtifactCard, ExitedArtifact } from './artifact-card.tsx'
import { type Place, useChangeSearch } from './place.ts'
import { STATES } from './search.ts'
import { historyTexts as texts } from './texts-history.ts'

interface Named {
  fingerprint: string
  name: string
  environment_name?: string
}

const buildKey = ({ fingerprint, name, environment_name = '' }: Named) =>
  `${fingerprint} ${name} ${environment_name}`

interface ArtifactListProps {
  place: Place
  page: SnapshotArtifactPage
  /** Nothing can be allowed in an archived environment. */
  isArchived: boolean
}

export function ArtifactList({ place, page, isArchived }: ArtifactListProps) {
  const change = useChangeSearch()
  const { isMember } = useRole(place.org)
  const canAllow = isMember && page.snapshot.is_latest && !isArchived
  const count = page.snapshot.artifact_compliance_count
  const running = count.true + count.false + count.null
  // People come for the non-compliant artifact, and its reasons fit on a screen. The reasons of several would
  // not.
  const firstRed = page.artifacts.find(({ compliance_state }) => compliance_state === 'NON-COMPLIANT')
  return (
    <Stack>
      <Group justify="space-between" align="end">
        <Title order={2} size="h3">
          {texts.artifacts.running(running)}
        </Title>
        <Filters place={place} />
      </Group>
      {running === 0 && <Empty title={texts.artifacts.none} />}
      {running > 0 && page.total_count === 0 && <Empty title={texts.artifacts.noMatch} />}
      {page.total_count > 0 && page.artifacts.length === 0 && (
        <Empty title={texts.artifacts.pastTheEnd}>{texts.artifacts.pastTheEndHint}</Empty>
      )}
      {page.artifacts.length > 0 && (
        <Stack gap="var(--item-gap)">
          {page.artifacts.map(artifact => (
            <ArtifactCard
              key={buildKey(artifact)}
              org={place.org}
              artifact={artifact}
              reported_by={page.snapshot.reported_by}
              allow_in={canAllow ? (artifact.environment_name ?? place.environment) : null}
              isOpenAtFirst={artifact === firstRed}
            />
          ))}
        </Stack>
      )}
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
        {texts.artifacts.stopped(exited_count)}
      </Title>
      {exited.map(artifact => (
        <ExitedArtifact key={buildKey(artifact)} org={place.org} artifact={artifact} />
      ))}
      {exited_count > exited.length && (
        <Text size="sm">{texts.artifacts.moreStopped(exited_count - exited.length)}</Text>
      )}
    </>
  )
}

function Filters({ place }: { place: Place }) {
  const change = useChangeSearch()
  return (
    <Group gap="xs" align="end">
      <TextFilter
        label={texts.artifacts.filterName}
        value={place.search.artifact}
        onChange={artifact => change({ artifact })}
      />
      <SegmentedControl
        size="xs"
        aria-label={texts.artifacts.filterCompliance}
        value={place.search.state ?? 'all'}
        onChange={state => change({ state: pickOne(state, STATES) })}
        data={Object.entries(texts.artifacts.states).map(([value, label]) => ({ value, label }))}
      />
    </Group>
  )
}
