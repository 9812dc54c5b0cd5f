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
import styles from './state-badge.module.css'
import { partsTexts as texts } from './texts.ts'

export type State = 'COMPLIANT' | 'NON-COMPLIANT' | 'UNKNOWN' | 'STALE' | 'INCOMPLETE' | 'MISSING' | 'WAITING'

const ICON_SIZE = 12

const ICONS: Record<State, typeof IconCheck> = {
  COMPLIANT: IconCheck,
  'NON-COMPLIANT': IconX,
  UNKNOWN: IconQuestionMark,
  STALE: IconAlertTriangle,
  INCOMPLETE: IconDots,
  MISSING: IconCircleDashed,
  WAITING: IconClock,
}

export function StateBadge({ state }: { state: State | null | undefined }) {
  const known = state ?? 'UNKNOWN'
  const Icon = ICONS[known]
  return (
    <Badge
      className={`${styles.state} ${styles[known]}`}
      miw="max-content"
      leftSection={<Icon size={ICON_SIZE} stroke={3} aria-hidden="true" />}
    >
      {formatState(known)}
    </Badge>
  )
}

/** The word for a state of the API; a word that this version does not know stays as it is. */
export const formatState = (state: string): string => texts.states[state as State] ?? state

/** The same word inside a sentence. */
export const describeState = (state: string): string => formatState(state).toLowerCase()

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
