// One target as it is: where it leads, whether messages arrive, and why not.
import { Badge, Group, Stack, Text } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { addressOf, KINDS, type Target } from './words.ts'

/** Who is no admin sees of an address only where it leads: two may look the same, and their order tells them apart. */
export function TargetLines({ targets }: { targets: Target[] }) {
  const keyed = targets.map((target, place) => ({ key: `${place} ${addressOf(target)}`, target }))
  return keyed.map(({ key, target }) => <TargetLine key={key} target={target} />)
}

function TargetLine({ target }: { target: Target }) {
  const { last_success_at, last_error, switched_off_at, is_failing } = target
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Badge variant="outline" color="gray">
          {KINDS[target.neutral_type]}
        </Badge>
        <Text size="sm" className="fingerprint">
          {addressOf(target)}
        </Text>
        {target.type === 'WEBHOOK' && (
          <Badge variant="light" color="gray">
            {target.is_signed ? 'signed' : 'not signed'}
          </Badge>
        )}
        {is_failing && <Badge color="red">{switched_off_at === null ? 'FAILING' : 'SWITCHED OFF'}</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        Last success: <RelativeTime at={last_success_at} />
        {switched_off_at !== null && (
          <>
            ; switched off <RelativeTime at={switched_off_at} />, because it kept failing
          </>
        )}
      </Text>
      {is_failing && last_error !== null && <Text size="sm">{last_error}</Text>}
    </Stack>
  )
}
