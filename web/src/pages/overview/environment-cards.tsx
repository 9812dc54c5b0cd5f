// A card for each environment: its current state, since when, and the last 90 days as a band.
import { Box, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ArchivedSwitch } from '../../parts/archived.tsx'
import { EnvironmentLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { computeState, computeStates, StateBadges } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useStaleness } from '../../parts/use-staleness.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import type { Environment } from '../environments/answers.ts'
import { Band } from '../environments/band.tsx'
import { buildLayers, describeBucket, describeShares } from '../environments/buckets.ts'
import { recentTimelineQuery, snapshotWindowQuery } from '../environments/history-queries.ts'
import { useSince } from '../environments/since.ts'
import { StaleNotice } from '../environments/stale-notice.tsx'
import { findWindow } from '../environments/timeline.tsx'
import { countQuery } from './queries.ts'
import { overviewTexts as texts } from './texts.ts'

const DAYS_SHOWN = 90
const BUCKETS_SHOWN = 45
const BAND_HEIGHT = 20
/** Heights of content that loads later, reserved so that the layout does not shift. */
const FAILING_HEIGHT = 42
const computeHistoryHeight = ({ state }: Environment) => (state === false ? 66 : 48)

interface CardsProps {
  org: string
  /** The first page of environments, non-compliant ones first. */
  found: Pick<Schemas['EnvironmentPage'], 'environments' | 'total_count'> & { archived_count: number }
}

export function EnvironmentCards({ org, found }: CardsProps) {
  const { total_count, archived_count } = found
  const environments = useStaleness(found.environments)
  return (
    <section>
      <Title order={2} size="h3">
        {texts.environments.title}
      </Title>
      <Text mb="sm">
        <ProblemCount org={org} found={{ ...found, environments }} />
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
        {environments.map(environment => (
          <EnvironmentCard key={environment.name} org={org} environment={environment} beside={environments} />
        ))}
      </SimpleGrid>
      {total_count > environments.length && (
        <Text mt="sm">
          <PageLink to="/$org/environments" params={{ org }}>
            {texts.environments.all(total_count)}
          </PageLink>
        </Text>
      )}
      <Box mt="sm">
        <ArchivedSwitch
          list="/$org/environments"
          org={org}
          noun={texts.environments.noun}
          search={{}}
          archived_count={archived_count}
        />
      </Box>
    </section>
  )
}

/**
 * Non-compliant environments come first, then stale ones: the count on this page is exact if an environment after them
 * is shown. Otherwise the server counts them.
 */
function ProblemCount({ org, found: { environments, total_count } }: CardsProps) {
  const states = environments.map(computeState)
  const shown_red = states.filter(state => state === 'NON-COMPLIANT').length
  const shown_stale = states.filter(state => state === 'STALE').length
  const isAllRed = shown_red < states.length || shown_red === total_count
  const isAllStale = shown_red + shown_stale < states.length || states.length === total_count
  const red = useQuery({ ...countQuery(org, 'non-compliant'), enabled: !isAllRed })
  const stale = useQuery({ ...countQuery(org, 'stale'), enabled: !isAllStale })
  const problems = [
    {
      state: texts.environments.nonCompliant,
      shown: shown_red,
      count: isAllRed ? shown_red : red.data?.total_count,
    },
    {
      state: texts.environments.stale,
      shown: shown_stale,
      count: isAllStale ? shown_stale : stale.data?.total_count,
    },
  ]
  const counts = problems
    .filter(({ shown, count = shown }) => count > 0)
    .map(({ state, shown, count }) =>
      count === undefined
        ? texts.environments.countAtLeast(shown, state)
        : texts.environments.count(count, state),
    )
  if (counts.length === 0) return texts.environments.allFine
  return texts.environments.problems(total_count, counts.join(texts.environments.and))
}

interface CardProps {
  org: string
  environment: Environment
}

/** Loads the history when the card is first in view. */
function EnvironmentCard({ org, environment, beside }: CardProps & { beside: readonly Environment[] }) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>()
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    if (inViewport) setIsSeen(true)
  }, [inViewport])
  return (
    <Card withBorder ref={ref} padding="sm" component="article" aria-label={environment.name}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="start">
          <Title order={3} size="h4" className="long-name">
            <EnvironmentLink org={org} environment={environment.name} />
          </Title>
          <StateBadges states={computeStates(environment)} />
        </Group>
        <StaleNotice environment={environment} beside={beside} />
        {environment.latest_snapshot_index === 0 ? (
          <Text size="sm">{texts.environments.nothingReported}</Text>
        ) : (
          <>
            {environment.state === false && (
              <Box mih={FAILING_HEIGHT}>
                {isSeen && <FailingArtifacts org={org} environment={environment} />}
              </Box>
            )}
            <Box mih={computeHistoryHeight(environment)}>
              {isSeen && <History org={org} environment={environment} />}
            </Box>
          </>
        )}
        <Text size="xs" c="dimmed">
          {texts.environments.lastChange} <RelativeTime at={environment.last_changed_at} />
        </Text>
      </Stack>
    </Card>
  )
}

/** For a non-compliant environment: how many artifacts fail, and since when. */
function FailingArtifacts({ org, environment: { name, state, latest_snapshot_index: latest } }: CardProps) {
  const snapshots = useQuery(snapshotWindowQuery(org, name, findWindow(latest, latest)))
  const since = useSince(org, name, { index: latest, state, latest })
  if (snapshots.error) return <ErrorAlert error={snapshots.error} />
  const count = snapshots.data?.at(-1)?.artifact_compliance_count
  if (count === undefined) return <Loading rows={1} height={FAILING_HEIGHT} />
  return (
    <Text size="sm">
      {texts.environments.failingArtifacts(
        count.false ?? 0,
        (count.true ?? 0) + (count.false ?? 0) + (count.null ?? 0),
      )}
      {since !== null && (
        <>
          , {since.isExact ? texts.environments.since : texts.environments.atLeastSince}{' '}
          <RelativeTime at={since.from} />
        </>
      )}
    </Text>
  )
}

function History({ org, environment }: CardProps) {
  const timeline = useQuery(recentTimelineQuery(org, environment.name, DAYS_SHOWN, BUCKETS_SHOWN))
  if (timeline.error) return <ErrorAlert error={timeline.error} />
  if (timeline.isPending) return <Loading rows={1} height={computeHistoryHeight(environment)} />
  const cells = timeline.data.buckets.map(bucket => ({
    index: bucket.last_index,
    layers: buildLayers(bucket),
    deployments: bucket.deployments,
    label: describeBucket(bucket),
    isSelected: false,
    isDetailed: false,
  }))
  return (
    <Stack gap="xs">
      <Band cells={cells} height={BAND_HEIGHT} hasMarks={false} hasDetail={false} />
      <Text size="xs" c="dimmed">
        {texts.environments.history(DAYS_SHOWN, describeShares(timeline.data.buckets))}
      </Text>
    </Stack>
  )
}
