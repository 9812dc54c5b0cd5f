// Compliance states, shown by word, colour and icon: never by colour alone. There are two verdicts, by the template of a
// flow and by the policies of an environment, so a badge says which one it shows.
import { Badge, Group } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconClockOff,
  IconDots,
  IconQuestionMark,
  IconX,
} from '@tabler/icons-react'
import styles from './state-badge.module.css'
import { partsTexts as texts } from './texts.ts'

export type State =
  | 'COMPLIANT'
  | 'NON-COMPLIANT'
  | 'UNKNOWN'
  | 'STALE'
  | 'INCOMPLETE'
  | 'MISSING'
  | 'WAITING'
  | 'EXPIRED'

/** Which verdict a badge shows. `evidence`: the state of one attestation, which is neither. */
export type Verdict = 'template' | 'policies' | 'evidence'

const ICON_SIZE = 12
/** These are verdicts; the other states mean that there is none. */
const EVALUATED: readonly State[] = ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE', 'UNKNOWN']

const ICONS: Record<State, typeof IconCheck> = {
  COMPLIANT: IconCheck,
  'NON-COMPLIANT': IconX,
  UNKNOWN: IconQuestionMark,
  STALE: IconAlertTriangle,
  INCOMPLETE: IconDots,
  MISSING: IconCircleDashed,
  WAITING: IconClock,
  EXPIRED: IconClockOff,
}

/**
 * The meaning of a state when colours are replaced: `bad` is filled, and `open`, which is not a verdict, has
 * a dashed line.
 */
const MEANINGS: Partial<Record<State, 'bad' | 'open'>> = {
  'NON-COMPLIANT': 'bad',
  EXPIRED: 'bad',
  UNKNOWN: 'open',
  STALE: 'open',
  INCOMPLETE: 'open',
  MISSING: 'open',
  WAITING: 'open',
}

interface StateBadgeProps {
  state: State | null | undefined
  by: Verdict
  /** How many are in this state; the context of the badge tells of what, and by which verdict. */
  count?: number
}

export function StateBadge({ state, by, count }: StateBadgeProps) {
  const known = state ?? 'UNKNOWN'
  const said = by === 'evidence' || !EVALUATED.includes(known) ? null : texts.verdicts[by]
  const Icon = ICONS[known]
  return (
    <Badge
      className={`${styles.state} ${styles[known]}`}
      data-state={MEANINGS[known]}
      miw="max-content"
      leftSection={<Icon size={ICON_SIZE} stroke={3} aria-hidden="true" />}
      title={said?.long}
    >
      <span>{count === undefined ? formatState(known) : texts.stateCount(count, describeState(known))}</span>
      {said && count === undefined && <span className="verdict"> {said.short}</span>}
    </Badge>
  )
}

/** The word for an API state; an unknown state stays as it is. */
export const formatState = (state: string): string => texts.states[state as State] ?? state

/** The same word inside a sentence. */
export const describeState = (state: string): string => formatState(state).toLowerCase()

export function toState(compliant: boolean | null | undefined): State {
  if (compliant === null || compliant === undefined) return 'UNKNOWN'
  return compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}

/** The fields of an environment or a snapshot that decide its state. */
interface Evaluated {
  state: boolean | null
  /** For a snapshot: whether it is the latest one of a stale environment. */
  is_stale: boolean
  /** Also set while `state` is only the last known one. */
  unknown_because?: string | null
}

/** A stale environment that was non-compliant is still non-compliant. */
export function computeState({ state, is_stale, unknown_because }: Evaluated): State {
  if (is_stale && state !== false) return 'STALE'
  return unknown_because ? 'UNKNOWN' : toState(state)
}

/** The worst state first: a non-compliant environment can also be stale. */
export function computeStates(evaluated: Evaluated): State[] {
  const state = computeState(evaluated)
  return evaluated.is_stale && state !== 'STALE' ? [state, 'STALE'] : [state]
}

export function StateBadges({ states, by }: { states: readonly State[]; by: Verdict }) {
  return (
    <Group gap={4}>
      {states.map(state => (
        <StateBadge key={state} by={by} state={state} />
      ))}
    </Group>
  )
}

/** The state of one expected attestation. */
export function computeSlotState(slot: { status: string; is_compliant: boolean | null }): State {
  if (slot.status === 'MISSING') return 'MISSING'
  return slot.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}
