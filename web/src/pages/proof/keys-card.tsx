// The public keys of the log, ready to copy.
import { Card, Group, Stack, Text, Title } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Copy } from '../../ui/command.tsx'
import { proofTexts as texts } from './texts.ts'

export function KeysCard({ keys }: { keys: Schemas['LogKey'][] }) {
  return (
    <Card withBorder component="section" aria-label={texts.keys.title}>
      <Title order={2} size="h4">
        {texts.keys.title}
      </Title>
      <Text size="sm" my="xs">
        {keys.length === 0 ? texts.keys.none : texts.keys.help}
      </Text>
      <Stack>
        {keys.map(key => (
          <Key key={key.number} logKey={key} />
        ))}
      </Stack>
    </Card>
  )
}

function Key({ logKey: { number, vkey, added_at, retired_at } }: { logKey: Schemas['LogKey'] }) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text fw={600}>{texts.keys.key(number)}</Text>
        <Text size="sm" c="dimmed">
          {texts.keys.added} <RelativeTime at={added_at} />
          {retired_at !== null && (
            <>
              , {texts.keys.retired} <RelativeTime at={retired_at} />
            </>
          )}
        </Text>
        <Copy value={vkey} what={texts.keys.copy(number)} />
      </Group>
      <Text size="sm" className="fingerprint">
        {vkey}
      </Text>
    </Stack>
  )
}
