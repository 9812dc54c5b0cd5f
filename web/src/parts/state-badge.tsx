// Compliance states, shown by word, colour and icon: never by colour alone.
import { Badge, Group } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconDots,
  IconQuestionMark,
  IconX,
} from '@tabler/icons-react'

export type State = 'COMPLIANT' | 'NON-COMPLIANT' | 'UNKNOWN' | 'STALE' | 'INCOMPLETE' | 'MISSING' | 'WAITING'

const ICON_SIZE = 12

const LOOKS: Record<State, { Icon: typeof IconCheck; colour: string; variant: string }> = {
  COMPLIANT: { Icon: IconCheck, colour: 'green', variant: 'light' },
  'NON-COMPLIANT': { Icon: IconX, colour: 'red.9', variant: 'filled' },
  UNKNOWN: { Icon: IconQuestionMark, colour: 'gray', variant: 'light' },
  STALE: { Icon: IconAlertTriangle, colour: 'orange', variant: 'outline' },
  INCOMPLETE: { Icon: IconDots, colour: 'yellow', variant: 'light' },
  MISSING: { Icon: IconCircleDashed, colour: 'red', variant: 'outline' },
  WAITING: { Icon: IconClock, colour: 'blue', variant: 'light' },
}

export function StateBadge({ state }: { state: State | null | undefined }) {
  const word = state ?? 'UNKNOWN'
  const { Icon, colour, variant } = LOOKS[word]
  return (
    <Badge
      color={colour}
      variant={variant}
      miw="max-content"
      // On a tint, only the text colour has enough contrast in light and dark.
      c={variant === 'filled' ? 'white' : 'var(--mantine-color-text)'}
      leftSection={<Icon size={ICON_SIZE} stroke={3} aria-hidden="true" />}
    >
      {word}
    </Badge>
  )
}

export function toState(compliant: boolean | null | undefined): State {
  if (compliant === null || compliant === undefined) return 'UNKNOWN'
  return compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}

/** The part of an environment or a snapshot that decides its state. */
interface Evaluated {
  state: boolean | null
  /** For a snapshot: whether it is the latest one of a stale environment. */
  is_stale: boolean
}

/** A stale environment that was non-compliant is still non-compliant. */
export function computeState({ state, is_stale }: Evaluated): State {
  return is_stale && state !== false ? 'STALE' : toState(state)
}

/** The worst state first: a non-compliant environment can also be stale. */
export function computeStates(evaluated: Evaluated): State[] {
  const state = computeState(evaluated)
  return evaluated.is_stale && state !== 'STALE' ? [state, 'STALE'] : [state]
}

export function StateBadges({ states }: { states: readonly State[] }) {
  return (
    <Group gap={4}>
      {states.map(state => (
        <StateBadge key={state} state={state} />
      ))}
    </Group>
  )
}

/** The state of one expected attestation. */
export function computeSlotState(slot: { status: string; is_compliant: boolean | null }): State {
  if (slot.status === 'MISSING') return 'MISSING'
  return slot.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}
