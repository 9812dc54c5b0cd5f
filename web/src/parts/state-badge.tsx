// A state in its one word: by word, by colour and by a sign, never by colour alone.
import { Badge, Group } from '@mantine/core'

export type State = 'COMPLIANT' | 'NON-COMPLIANT' | 'UNKNOWN' | 'STALE' | 'INCOMPLETE' | 'MISSING' | 'WAITING'

const LOOKS: Record<State, { sign: string; colour: string; variant: string }> = {
  COMPLIANT: { sign: '✓', colour: 'green', variant: 'light' },
  'NON-COMPLIANT': { sign: '✕', colour: 'red.9', variant: 'filled' },
  UNKNOWN: { sign: '?', colour: 'gray', variant: 'light' },
  STALE: { sign: '!', colour: 'orange', variant: 'outline' },
  INCOMPLETE: { sign: '…', colour: 'yellow', variant: 'light' },
  MISSING: { sign: '○', colour: 'red', variant: 'outline' },
  WAITING: { sign: '◷', colour: 'blue', variant: 'light' },
}

export function StateBadge({ state }: { state: State | null | undefined }) {
  const word = state ?? 'UNKNOWN'
  const { sign, colour, variant } = LOOKS[word]
  return (
    <Badge
      color={colour}
      variant={variant}
      miw="max-content"
      // On a tint, only the colour of text has enough contrast in light and in dark.
      c={variant === 'filled' ? 'white' : 'var(--mantine-color-text)'}
      leftSection={<span aria-hidden="true">{sign}</span>}
    >
      {word}
    </Badge>
  )
}

export function toState(compliant: boolean | null | undefined): State {
  if (compliant === null || compliant === undefined) return 'UNKNOWN'
  return compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}

/** As much of an environment, or of a snapshot of it, as says how it is. */
interface Evaluated {
  state: boolean | null
  /** Of a snapshot: whether it is the latest of an environment that is stale. */
  is_stale: boolean
}

/** In one word. Silence takes nothing back that is known to be wrong. */
export function computeState({ state, is_stale }: Evaluated): State {
  return is_stale && state !== false ? 'STALE' : toState(state)
}

/** The worst first: what is wrong may be stale as well. */
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

/** Of one expected attestation. */
export function computeSlotState(slot: { status: string; is_compliant: boolean | null }): State {
  if (slot.status === 'MISSING') return 'MISSING'
  return slot.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}
