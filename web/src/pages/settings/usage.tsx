// What an organization uses of what the operator allows it.
import { Badge, Card, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../parts/schemas.ts'
import { formatBytes } from '../../ui/bytes.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { usageQuery } from './queries.ts'

type Usage = Schemas['OrganizationUsage']

/** From here on somebody should look at it. */
const NEAR = 0.8

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

interface Kind {
  title: string
  inWords: (amount: number) => string
  /** What it is counted in, after the numbers. */
  of: string
  over: string
}

const KINDS: Record<keyof Usage, Kind> = {
  requests_per_second: {
    title: 'Requests',
    inWords: amount => number.format(amount),
    of: 'requests in the present second',
    over: 'Further requests in the same second are refused (429).',
  },
  evidence_bytes: {
    title: 'Evidence',
    inWords: formatBytes,
    of: 'of attachments stored',
    over: 'Attestations with a new attachment are refused (507). Those without one are still accepted.',
  },
  jq_seconds_per_hour: {
    title: 'jq time',
    inWords: amount => number.format(amount),
    of: 'seconds of processor time in the last hour',
    over: 'Attestations of custom types with jq rules or schemas are refused (429) until an hour has passed.',
  },
}

export function UsageCard({ org }: { org: string }) {
  const usage = useQuery(usageQuery(org))
  return (
    <Card withBorder component="section" aria-label="Usage and quotas">
      <Title order={2}>Usage and quotas</Title>
      <Text my="sm">The operator of the service sets the quotas.</Text>
      {usage.isPending ? (
        <Loading rows={3} />
      ) : usage.error ? (
        <ErrorAlert error={usage.error} />
      ) : (
        <Stack maw={640}>
          {(Object.keys(KINDS) as (keyof Usage)[]).map(name => (
            <Used key={name} kind={KINDS[name]} {...usage.data[name]} />
          ))}
          <Text size="sm" c="dimmed">
            Requests and jq time are counted by each process of the service on its own.
          </Text>
        </Stack>
      )}
    </Card>
  )
}

function Used({ kind, quota, used }: { kind: Kind; quota: number | null; used: number | null }) {
  const { title, inWords, of, over } = kind
  const share = quota === null ? 0 : quota === 0 ? 1 : (used ?? 0) / quota
  return (
    <Stack gap={4} role="group" aria-label={title}>
      <Group gap="xs">
        <Text fw={600}>{title}</Text>
        <Warning share={share} />
      </Group>
      <Text size="sm">
        {quota === null
          ? [used !== null && `${inWords(used)} ${of}`, 'no quota'].filter(Boolean).join(', ')
          : `${inWords(used ?? 0)} of ${inWords(quota)} ${of}`}
      </Text>
      {quota !== null && (
        <Progress
          value={Math.min(share, 1) * 100}
          color={share >= 1 ? 'red' : share >= NEAR ? 'orange' : 'blue'}
          aria-label={`${title} used, in percent`}
        />
      )}
      {share >= NEAR && (
        <Text size="sm" fw={600}>
          {share >= 1 ? over : `When it is used up: ${over.charAt(0).toLowerCase()}${over.slice(1)}`}
        </Text>
      )}
    </Stack>
  )
}

function Warning({ share }: { share: number }) {
  if (share < NEAR) return null
  const isOver = share >= 1
  return (
    <Badge
      color={isOver ? 'red' : 'orange'}
      variant="outline"
      c="var(--mantine-color-text)"
      miw="max-content"
      leftSection={<span aria-hidden="true">!</span>}
    >
      {isOver ? 'Used up' : 'Nearly used up'}
    </Badge>
  )
}
