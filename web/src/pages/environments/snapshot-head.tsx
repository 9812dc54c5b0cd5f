// The summary of a snapshot: its state and since when, when and why it was taken, and links to other
// snapshots.
import { Group, Loader, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { PolicyLink, SnapshotLink } from '../../parts/links.tsx'
import { LogMark } from '../../parts/log-mark.tsx'
import { computeState, computeStates, formatState, StateBadges, toState } from '../../parts/state-badge.tsx'
import { partsTexts as parts } from '../../parts/texts.ts'
import { ExactTime, RelativeTime } from '../../parts/time.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import type { SnapshotSummary } from './answers.ts'
import { ExpiredDecisions } from './expired-decisions.tsx'
import type { Place } from './place.ts'
import { useSince } from './since.ts'
import { StepLink } from './step-link.tsx'
import { causeTexts } from './texts-cause.ts'
import { historyTexts as texts } from './texts-history.ts'
import { TimeForm } from './time-form.tsx'

interface HeadProps {
  place: Place
  snapshot: SnapshotSummary
  /** Since when the environment is stale now; null if it is not. */
  stale_since: number | null
  /** Whether another snapshot is being loaded. */
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
            {texts.snapshot.title(index, latest, is_latest)}
          </Title>
          <StateBadges by="policies" states={computeStates(snapshot)} />
          {isOld && <Loader size="xs" role="status" aria-label={texts.snapshot.loading} />}
        </Group>
        {computeState(snapshot) === 'STALE' ? (
          <Text fw={600}>
            {texts.snapshot.staleSince} <RelativeTime at={stale_since} />
          </Text>
        ) : (
          <StateSince place={place} snapshot={snapshot} />
        )}
        <Text size="sm">{texts.snapshot.counts(count.true, count.false, count.null)}</Text>
        <Text size="sm">
          {texts.snapshot.taken} <RelativeTime at={snapshot.timestamp} />, {describeCause(snapshot)}
          {snapshot.observed_at !== null && (
            <>
              , {texts.snapshot.observed} <ExactTime at={snapshot.observed_at} />
            </>
          )}
        </Text>
        <ExpiredDecisions org={place.org} snapshot={snapshot} />
        {snapshot.is_partial && <Text size="sm">{texts.snapshot.partial}</Text>}
        <AppliedPolicies org={place.org} snapshot={snapshot} />
        <Text size="sm">
          {parts.log.title}:{' '}
          <LogMark org={place.org} of={{ environment: place.environment, snapshot: index }} />
        </Text>
      </Stack>
      <Stack gap={4}>
        <Steps place={place} snapshot={snapshot} />
        <TimeForm place={place} />
      </Stack>
    </SimpleGrid>
  )
}

function describeCause({ cause, reported_by }: SnapshotSummary): string {
  if (reported_by !== null) return texts.snapshot.reportedBy(reported_by)
  return texts.snapshot.after(causeTexts.sentence[cause] ?? cause)
}

function AppliedPolicies({ org, snapshot }: { org: string; snapshot: SnapshotSummary }) {
  if (snapshot.applied_policies.length === 0) return <Text size="sm">{texts.snapshot.noPolicies}</Text>
  return (
    <Text size="sm">
      {texts.snapshot.evaluatedAgainst}{' '}
      {snapshot.applied_policies.map(({ name, version }, position) => (
        <span key={`${name} ${version}`}>
          {position > 0 && ', '}
          <PolicyLink org={org} policy={name} /> {texts.snapshot.version(version)}
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
          {texts.snapshot.previous}
        </StepLink>
      )}
      {!is_latest && (
        <>
          <StepLink place={place} index={index + 1}>
            {texts.snapshot.next}
          </StepLink>
          <StepLink place={place} index={null}>
            {texts.snapshot.latest}
          </StepLink>
        </>
      )}
      {index > 1 && (
        <PageLink
          to="/$org/environments/$environment"
          params={{ org: place.org, environment: place.environment }}
          search={{ tab: 'compare', left: `#${index - 1}`, right: `#${index}` }}
        >
          {texts.snapshot.comparePrevious}
        </PageLink>
      )}
    </Group>
  )
}

function StateSince({ place, snapshot }: { place: Place; snapshot: SnapshotSummary }) {
  const { index, state, latest_snapshot_index: latest } = snapshot
  const since = useSince(place.org, place.environment, { index, state, latest })
  // While the last verdict waits to be evaluated again, nobody knows whether it still holds.
  if (since === null || computeState(snapshot) !== toState(state)) return null
  return (
    <Text fw={600}>
      {formatState(toState(state))} {since.isExact ? texts.snapshot.since : texts.snapshot.sinceAtLeast}{' '}
      <RelativeTime at={since.from} />
      {since.index !== snapshot.index && (
        <>
          {' '}
          (
          <SnapshotLink org={place.org} environment={place.environment} index={since.index}>
            {texts.snapshot.snapshot(since.index)}
          </SnapshotLink>
          )
        </>
      )}
    </Text>
  )
}
