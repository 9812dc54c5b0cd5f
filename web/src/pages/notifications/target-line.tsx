// One target in the list: its address, its health, and its last error.
import { Badge, Group, Stack, Text } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { formatAddress, KINDS, type Target } from './codes.ts'
import { notificationsTexts as texts } from './texts.ts'

/** The position is part of the key: everyone but admins sees only origins, and two of those may be equal. */
export function TargetLines({ targets }: { targets: Target[] }) {
  const keyed = targets.map((target, index) => ({ key: `${index} ${formatAddress(target)}`, target }))
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
          {formatAddress(target)}
        </Text>
        {target.type === 'WEBHOOK' && (
          <Badge variant="light" color="gray">
            {target.is_signed ? texts.target.signed : texts.target.unsigned}
          </Badge>
        )}
        {is_failing && (
          <Badge color="red">
            {switched_off_at === null ? texts.target.failing : texts.target.switchedOff}
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {texts.target.lastSuccess} <RelativeTime at={last_success_at} />
        {switched_off_at !== null && (
          <>
            {texts.target.switchedOffAt} <RelativeTime at={switched_off_at} />,{' '}
            {texts.target.switchedOffReason}
          </>
        )}
      </Text>
      {is_failing && last_error !== null && <Text size="sm">{last_error}</Text>}
    </Stack>
  )
}
