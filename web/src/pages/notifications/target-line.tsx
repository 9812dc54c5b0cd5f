// One target in the list: its address, its health, and its last error.
import { Badge, Group, Stack, Text } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { formatAddress, KINDS, type Target } from './codes.ts'
import { PausedNote } from './paused-note.tsx'
import { notificationsTexts as texts } from './texts.ts'

const BADGES = {
  active: texts.target.failing,
  paused: texts.target.paused,
  switched_off: texts.target.switchedOff,
} satisfies Record<Target['delivery_state'], string>

/** The position is part of the key: everyone but admins sees only origins, and two of those may be equal. */
export function TargetLines({ targets }: { targets: Target[] }) {
  const keyed = targets.map((target, index) => ({ key: `${index} ${formatAddress(target)}`, target }))
  return keyed.map(({ key, target }) => <TargetLine key={key} target={target} />)
}

function TargetLine({ target }: { target: Target }) {
  const { last_success_at, last_error, switched_off_at, is_failing, delivery_state } = target
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
        {is_failing && <Badge color="red">{BADGES[delivery_state]}</Badge>}
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
      {delivery_state === 'paused' ? (
        <PausedNote target={target} />
      ) : (
        is_failing && last_error !== null && <Text size="sm">{last_error}</Text>
      )}
    </Stack>
  )
}
