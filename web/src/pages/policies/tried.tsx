// The result of trying a policy: environments and artifacts whose verdict would change, and why.
import { Alert, Card, Group, List, Stack, Text, Title } from '@mantine/core'
import { describeState, StateBadge, toState } from '../../parts/state-badge.tsx'
import { formatCount } from '../../ui/format-count.ts'
import { NewTabLink } from '../../ui/page-link.tsx'
import type { Tried } from './queries.ts'
import { policiesTexts as texts } from './texts.ts'

type Target = Tried['targets'][number]
type Flip = Target['flips'][number]

export function TriedResult({ org, tried: { targets, summary } }: { org: string; tried: Tried }) {
  if (targets.length === 0)
    return <Alert title={texts.tryIt.nothingToTry}>{texts.tryIt.nothingToTryHelp}</Alert>
  const red = summary.environments_that_would_turn_red + summary.artifacts_that_would_turn_red
  const flips = targets.reduce((sum, { flips_total }) => sum + flips_total, 0)
  return (
    <Stack>
      <Alert
        color={red > 0 ? 'red' : 'green'}
        title={flips === 0 ? texts.tryIt.noChange : red > 0 ? texts.tryIt.turnsRed : texts.tryIt.turnsGreen}
      >
        {flips === 0 ? texts.tryIt.noChangeHelp : describeSummary(summary).join(' ')}
      </Alert>
      {targets.map(target => (
        <TargetCard key={`${target.environment_name} ${target.snapshot_index}`} org={org} target={target} />
      ))}
    </Stack>
  )
}

function describeSummary(summary: Tried['summary']): string[] {
  const changes = [
    {
      noun: texts.tryIt.environment,
      count: summary.environments_that_would_turn_red,
      verdict: 'NON-COMPLIANT',
    },
    { noun: texts.tryIt.artifact, count: summary.artifacts_that_would_turn_red, verdict: 'NON-COMPLIANT' },
    {
      noun: texts.tryIt.environment,
      count: summary.environments_that_would_turn_green,
      verdict: 'COMPLIANT',
    },
    { noun: texts.tryIt.artifact, count: summary.artifacts_that_would_turn_green, verdict: 'COMPLIANT' },
  ].filter(({ count }) => count > 0)
  return changes.map(({ noun, count, verdict }) =>
    texts.tryIt.wouldBecomeCount(formatCount(count, noun), describeState(verdict)),
  )
}

function TargetCard({ org, target }: { org: string; target: Target }) {
  const { environment_name: environment, snapshot_index, artifacts, flips, flips_total } = target
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Title order={3} size="h4">
          <NewTabLink
            to="/$org/environments/$environment/snapshots/$expression"
            params={{ org, environment, expression: String(snapshot_index) }}
          >
            {environment}
          </NewTabLink>
        </Title>
        <Change before={target.compliant_before} after={target.compliant_after} />
      </Group>
      <Text size="sm" c="dimmed">
        {texts.tryIt.changedVerdicts(flips_total, artifacts)}
      </Text>
      {flips.map(flip => (
        <FlipRow key={`${flip.artifact_fingerprint} ${flip.artifact_name}`} flip={flip} />
      ))}
      {flips.length < flips_total && <Text size="sm">{texts.tryIt.shown(flips.length)}</Text>}
    </Card>
  )
}

function FlipRow({ flip }: { flip: Flip }) {
  const isRed = flip.compliant_after === false
  const reasons = isRed ? flip.reasons_after : flip.reasons_before
  return (
    <Stack gap={4} mt="sm">
      <Group justify="space-between">
        <Text fw={600} size="sm" className="fingerprint">
          {flip.artifact_name}
        </Text>
        <Change before={flip.compliant_before} after={flip.compliant_after} />
      </Group>
      {reasons.length > 0 && (
        <List size="sm">
          {reasons.map(reason => (
            <List.Item key={`${reason.policy_name} ${reason.description} ${reason.trail_name}`}>
              {isRed ? '' : `${texts.tryIt.resolved} `}
              {reason.description}
              {isRed && <Text size="sm">{reason.remedy}</Text>}
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}

function Change({ before, after }: { before: boolean | null; after: boolean | null }) {
  if (before === after) return <StateBadge by="policies" state={toState(after)} />
  return (
    <Group gap="xs">
      <StateBadge by="policies" state={toState(before)} />
      <Text size="sm">{texts.tryIt.wouldBecome}</Text>
      <StateBadge by="policies" state={toState(after)} />
    </Group>
  )
}
