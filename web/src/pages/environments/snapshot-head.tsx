// What is said of a snapshot as a whole: its state and since when, when it was taken and by whom, and the ways to others.
import { Group, Loader, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { PolicyLink, SnapshotLink } from '../../parts/links.tsx'
import { computeState, computeStates, StateBadges, toState } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import type { SnapshotSummary } from './answers.ts'
import { MomentForm } from './moment-form.tsx'
import type { Place } from './place.ts'
import { useSince } from './since.ts'
import { StepLink } from './step-link.tsx'

interface HeadProps {
  place: Place
  snapshot: SnapshotSummary
  /** Of the environment, now. */
  stale_since: number | null
  /** Whether another one was asked for and is on its way. */
  isOld: boolean
}

export function SnapshotHead({ place, snapshot, stale_since, isOld }: HeadProps) {
  const { index, is_latest, latest_snapshot_index: latest } = snapshot
  const count = snapshot.artifact_compliance_count
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Stack gap={4}>
        <Group gap="xs">
          <Title order={2} size="h3">
            Snapshot {index}
            {is_latest ? ' (latest)' : ` of ${latest}`}
          </Title>
          <StateBadges states={computeStates(snapshot)} />
          {isOld && <Loader size="xs" role="status" aria-label="Loading another snapshot" />}
        </Group>
        {computeState(snapshot) === 'STALE' ? (
          <Text fw={600}>
            STALE since <RelativeTime at={stale_since} />
          </Text>
        ) : (
          <StateSince place={place} snapshot={snapshot} />
        )}
        <Text size="sm">
          {count.true} compliant, {count.false} non-compliant, {count.null} unknown.
        </Text>
        <Text size="sm">
          Taken <RelativeTime at={snapshot.timestamp} />, {causeWords(snapshot)}.
        </Text>
        <AppliedPolicies org={place.org} snapshot={snapshot} />
      </Stack>
      <Stack gap={4}>
        <Steps place={place} snapshot={snapshot} />
        <MomentForm place={place} />
      </Stack>
    </SimpleGrid>
  )
}

const CAUSES: Record<string, string> = {
  report: 'a report of what runs',
  evidence: 'new evidence',
  policies: 'a change of policies',
  'allow-list': 'a change of the allow-list',
  members: 'a change of the environments it combines',
}

function causeWords({ cause, reported_by }: SnapshotSummary): string {
  return reported_by === null ? `because of ${CAUSES[cause] ?? cause}` : `reported by ${reported_by}`
}

function AppliedPolicies({ org, snapshot }: { org: string; snapshot: SnapshotSummary }) {
  if (snapshot.applied_policies.length === 0) return <Text size="sm">No policy judged it.</Text>
  return (
    <Text size="sm">
      Judged by{' '}
      {snapshot.applied_policies.map(({ name, version }, position) => (
        <span key={`${name} ${version}`}>
          {position > 0 && ', '}
          <PolicyLink org={org} policy={name} /> version {version}
        </span>
      ))}
    </Text>
  )
}

function Steps({ place, snapshot: { index, is_latest } }: { place: Place; snapshot: SnapshotSummary }) {
  return (
    <Group gap="md">
      {index > 1 && (
        <StepLink place={place} index={index - 1}>
          Previous
        </StepLink>
      )}
      {!is_latest && (
        <>
          <StepLink place={place} index={index + 1}>
            Next
          </StepLink>
          <StepLink place={place} index={null}>
            Now
          </StepLink>
        </>
      )}
      {index > 1 && (
        <PageLink
          to="/$org/environments/$environment"
          params={{ org: place.org, environment: place.environment }}
          search={{ tab: 'compare', left: `#${index - 1}`, right: `#${index}` }}
        >
          Compare with previous
        </PageLink>
      )}
    </Group>
  )
}

function StateSince({ place, snapshot }: { place: Place; snapshot: SnapshotSummary }) {
  const { index, state, latest_snapshot_index: latest } = snapshot
  const since = useSince(place.org, place.environment, { index, state, latest })
  if (since === null) return null
  return (
    <Text fw={600}>
      {toState(snapshot.state)} {since.isExact ? 'since' : 'at least since'} <RelativeTime at={since.from} />
      {since.index !== snapshot.index && (
        <>
          {' '}
          (
          <SnapshotLink org={place.org} environment={place.environment} index={since.index}>
            snapshot {since.index}
          </SnapshotLink>
          )
        </>
      )}
    </Text>
  )
}
