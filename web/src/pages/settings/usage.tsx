// The usage of an organization against the quotas that the operator set.
import { Badge, Card, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../parts/schemas.ts'
import { formatBytes } from '../../ui/bytes.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { usageQuery } from './queries.ts'
import { settingsTexts as texts } from './texts.ts'

type Usage = Schemas['OrganizationUsage']

/** From this share of a quota on, a warning is shown. */
const WARNING_SHARE = 0.8

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

interface Kind {
  title: string
  format: (amount: number) => string
  /** Shown after the number. */
  unit: string
  /** The effect of the used-up quota. */
  over: string
  /** The effect when the quota is used up. */
  near: string
}

const KINDS: Record<keyof Usage, Kind> = {
  requests_per_second: {
    title: texts.usage.requests,
    format: amount => number.format(amount),
    unit: texts.usage.requestsUnit,
    over: texts.usage.requestsOver,
    near: texts.usage.requestsNear,
  },
  evidence_bytes: {
    title: texts.usage.evidence,
    format: formatBytes,
    unit: texts.usage.evidenceUnit,
    over: texts.usage.evidenceOver,
    near: texts.usage.evidenceNear,
  },
  jq_seconds_per_hour: {
    title: texts.usage.jqTime,
    format: amount => number.format(amount),
    unit: texts.usage.jqTimeUnit,
    over: texts.usage.jqTimeOver,
    near: texts.usage.jqTimeNear,
  },
}

export function UsageCard({ org }: { org: string }) {
  const usage = useQuery(usageQuery(org))
  return (
    <Card withBorder component="section" aria-label={texts.usage.title}>
      <Title order={2}>{texts.usage.title}</Title>
      <Text my="sm">{texts.usage.help}</Text>
      {usage.isPending ? (
        <Loading rows={3} />
      ) : usage.error ? (
        <ErrorAlert error={usage.error} />
      ) : (
        <Stack maw={640}>
          {(Object.keys(KINDS) as (keyof Usage)[]).map(name => (
            <UsageLine key={name} kind={KINDS[name]} {...usage.data[name]} />
          ))}
          <Text size="sm" c="dimmed">
            {texts.usage.perProcess}
          </Text>
        </Stack>
      )}
    </Card>
  )
}

function UsageLine({ kind, quota, used }: { kind: Kind; quota: number | null; used: number | null }) {
  const { title, format, unit, over, near } = kind
  const share = quota === null ? 0 : quota === 0 ? 1 : (used ?? 0) / quota
  return (
    <Stack gap={4} role="group" aria-label={title}>
      <Group gap="xs">
        <Text fw={600}>{title}</Text>
        <Warning share={share} />
      </Group>
      <Text size="sm">
        {quota === null
          ? [used !== null && texts.usage.used(format(used), unit), texts.usage.noQuota]
              .filter(Boolean)
              .join(', ')
          : texts.usage.usedOf(format(used ?? 0), format(quota), unit)}
      </Text>
      {quota !== null && (
        <Progress
          value={Math.min(share, 1) * 100}
          color={share >= 1 ? 'red' : share >= WARNING_SHARE ? 'orange' : 'blue'}
          aria-label={texts.usage.usedPercent(title)}
        />
      )}
      {share >= WARNING_SHARE && (
        <Text size="sm" fw={600}>
          {share >= 1 ? over : near}
        </Text>
      )}
    </Stack>
  )
}

function Warning({ share }: { share: number }) {
  if (share < WARNING_SHARE) return null
  const isOver = share >= 1
  return (
    <Badge
      color={isOver ? 'red' : 'orange'}
      variant="outline"
      c="var(--mantine-color-text)"
      miw="max-content"
      leftSection={<span aria-hidden="true">!</span>}
    >
      {isOver ? texts.usage.usedUp : texts.usage.nearlyUsedUp}
    </Badge>
  )
}
