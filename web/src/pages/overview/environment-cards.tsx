// A card for each environment: its current state, since when, and the last 90 days as a band.
import { Box, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ArchivedSwitch } from '../../parts/archived.tsx'
import { EnvironmentLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { computeStates, StateBadges } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { UnknownNotice } from '../../parts/unknown-notice.tsx'
import { useStaleness } from '../../parts/use-staleness.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import type { Environment } from '../environments/answers.ts'
import { Band } from '../environments/band.tsx'
import { buildLayers, describeBucket, describeShares } from '../environments/buckets.ts'
import { PartialNotice } from '../environments/partial-notice.tsx'
import { StaleNotice } from '../environments/stale-notice.tsx'
import { ProblemCount, type Shown } from './problem-count.tsx'
import { DAYS_SHOWN, timelinesQuery } from './queries.ts'
import { overviewTexts as texts } from './texts.ts'

const BAND_HEIGHT = 20
/** Heights of content that loads later, reserved so that the layout does not shift. */
const FAILING_HEIGHT = 42
const computeHistoryHeight = ({ state }: Environment) => (state === false ? 66 : 48)

interface CardsProps {
  org: string
  found: Shown & { archived_count: number }
}

export function EnvironmentCards({ org, found }: CardsProps) {
  const { total_count, archived_count } = found
  const environments = useStaleness(found.environments)
  const timelines = useQuery(timelinesQuery(org, environments))
  const findTimeline = (name: string) =>
    timelines.data?.find(({ environment_name }) => environment_name === name)
  return (
    <section>
      <Title order={2} size="h3">
        {texts.environments.title}
      </Title>
      <Text mb="sm">
        <ProblemCount org={org} found={{ ...found, environments }} />
      </Text>
      {timelines.error && <ErrorAlert error={timelines.error} />}
      <SimpleGrid className="whole-width cards" cols={{ base: 1, xs: 2, lg: 3 }}>
        {environments.map(environment => (
          <EnvironmentCard
            key={environment.name}
            org={org}
            environment={environment}
            beside={environments}
            timeline={findTimeline(environment.name)}
          />
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

interface CardProps {
  org: string
  environment: Environment
  beside: readonly Environment[]
  /** Undefined until it is loaded. */
  timeline: Schemas['ListedTimeline'] | undefined
}

function EnvironmentCard({ org, environment, beside, timeline }: CardProps) {
  return (
    <Card withBorder padding="sm" component="article" aria-label={environment.name}>
      <Stack gap="xs">
        <Group justify="space-between" align="start" gap="xs">
          <Title order={3} size="h4" className="long-name">
            <EnvironmentLink org={org} environment={environment.name} />
          </Title>
          <StateBadges by="policies" states={computeStates(environment)} />
        </Group>
        <StaleNotice environment={environment} beside={beside} />
        <PartialNotice environment={environment} />
        <UnknownNotice environment={environment} />
        {environment.latest_snapshot_index > 0 && (
          <>
            {environment.state === false && (
              <Box mih={FAILING_HEIGHT}>{timeline && <FailingArtifacts timeline={timeline} />}</Box>
            )}
            <Box mih={computeHistoryHeight(environment)}>
              {timeline ? (
                <History timeline={timeline} />
              ) : (
                <Loading rows={1} height={computeHistoryHeight(environment)} />
              )}
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

interface TimelineProps {
  timeline: Schemas['ListedTimeline']
}

/** For a non-compliant environment: how many artifacts fail, and since when. */
function FailingArtifacts({ timeline }: TimelineProps) {
  const { artifact_compliance_count: count, state_since, is_state_older } = timeline
  return (
    <Text size="sm">
      {texts.environments.failingArtifacts(
        count.false ?? 0,
        (count.true ?? 0) + (count.false ?? 0) + (count.null ?? 0),
      )}
      {state_since !== null && (
        <>
          , {is_state_older ? texts.environments.atLeastSince : texts.environments.since}{' '}
          <RelativeTime at={state_since} />
        </>
      )}
    </Text>
  )
}

function History({ timeline: { buckets } }: TimelineProps) {
  const cells = buckets.map(bucket => ({
    index: bucket.last_index,
    layers: buildLayers(bucket),
    deployments: bucket.deployments,
    label: describeBucket(bucket),
    isSelected: false,
    isDetailed: false,
  }))
  const shares = describeShares(buckets)
  return (
    <Stack gap="xs">
      <Band cells={cells} height={BAND_HEIGHT} hasMarks={false} hasDetail={false} />
      <Text size="xs" c="dimmed">
        {shares === '' ? texts.environments.noHistory : texts.environments.history(DAYS_SHOWN, shares)}
      </Text>
    </Stack>
  )
}
