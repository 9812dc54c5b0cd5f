// Compliance states, shown by word, colour and icon: never by colour alone. There are two verdicts, by the template of a
// flow and by the policies of an environment, so a badge says which one it shows.
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
import { partsTexts as texts } from './texts.ts'

export type State = 'COMPLIANT' | 'NON-COMPLIANT' | 'UNKNOWN' | 'STALE' | 'INCOMPLETE' | 'MISSING' | 'WAITING'

/** Which verdict a badge shows. `evidence`: what one attestation says, which is neither. */
export type Verdict = 'template' | 'policies' | 'evidence'

const ICON_SIZE = 12
/** These are verdicts; the others say that there is none. */
const EVALUATED: readonly State[] = ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE', 'UNKNOWN']

const LOOKS: Record<State, { Icon: typeof IconCheck; colour: string; variant: string }> = {
  COMPLIANT: { Icon: IconCheck, colour: 'green', variant: 'light' },
  'NON-COMPLIANT': { Icon: IconX, colour: 'red.9', variant: 'filled' },
  UNKNOWN: { Icon: IconQuestionMark, colour: 'gray', variant: 'light' },
  STALE: { Icon: IconAlertTriangle, colour: 'orange', variant: 'outline' },
  INCOMPLETE: { Icon: IconDots, colour: 'yellow', variant: 'light' },
  MISSING: { Icon: IconCircleDashed, colour: 'red', variant: 'outline' },
  WAITING: { Icon: IconClock, colour: 'blue', variant: 'light' },
}

interface StateBadgeProps {
  state: State | null | undefined
  by: Verdict
}

export function StateBadge({ state, by }: StateBadgeProps) {
  const word = state ?? 'UNKNOWN'
  const said = by === 'evidence' || !EVALUATED.includes(word) ? null : texts.verdicts[by]
  const { Icon, colour, variant } = LOOKS[word]
  return (
    <Badge
      color={colour}
      variant={variant}
      miw="max-content"
      // On a tint, only the text colour has enough contrast in light and dark.
      c={variant === 'filled' ? 'white' : 'var(--mantine-color-text)'}
      leftSection={<Icon size={ICON_SIZE} stroke={3} aria-hidden="true" />}
      title={said?.long}
    >
      <span>{word}</span>
      {said && <span className="verdict"> {said.short}</span>}
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
