// Who else has seen the log, and the response of each witness.
import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconClock, IconX } from '@tabler/icons-react'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Copy } from '../../ui/command.tsx'
import { formatCount } from '../../ui/format-count.ts'
import { StateBadge } from './state-badge.tsx'
import { proofTexts as texts } from './texts.ts'

type Witness = Schemas['LogWitness']

const LOOKS = {
  ok: { word: texts.witnesses.ok, colour: 'green', variant: 'light', Icon: IconCheck },
  behind: { word: texts.witnesses.behind, colour: 'gray', variant: 'outline', Icon: IconClock },
  unreachable: {
    word: texts.witnesses.unreachable,
    colour: 'orange',
    variant: 'outline',
    Icon: IconAlertTriangle,
  },
  fork: { word: texts.witnesses.fork, colour: 'red.9', variant: 'filled', Icon: IconX },
} as const

export function WitnessesCard({ witnesses }: { witnesses: Witness[] }) {
  return (
    <Card withBorder component="section" aria-label={texts.witnesses.title}>
      <Title order={2} size="h4">
        {texts.witnesses.title}
      </Title>
      <Text size="sm" my="xs">
        {witnesses.length === 0 ? texts.witnesses.none : texts.witnesses.help}
      </Text>
      <Stack>
        {witnesses.map(witness => (
          <WitnessRow key={witness.vkey} witness={witness} />
        ))}
      </Stack>
    </Card>
  )
}

function WitnessRow({ witness: { name, vkey, size, cosigned_at, state, message } }: { witness: Witness }) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text fw={600}>{name}</Text>
        <StateBadge look={LOOKS[state]} />
        <Text size="sm" c="dimmed">
          {cosigned_at === null ? (
            texts.witnesses.never
          ) : (
            <>
              {texts.witnesses.cosigned(formatCount(size, 'record'))} <RelativeTime at={cosigned_at} />
            </>
          )}
        </Text>
        <Copy value={vkey} what={texts.witnesses.copy(name)} />
      </Group>
      {state !== 'ok' && <Text size="sm">{message}</Text>}
      <Text size="sm" className="fingerprint">
        {vkey}
      </Text>
    </Stack>
  )
}
