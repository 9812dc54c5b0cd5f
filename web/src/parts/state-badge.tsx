// A state in its one word: by word, by colour and by a sign, never by colour alone.
import { Badge } from '@mantine/core'

export type State = 'COMPLIANT' | 'NON-COMPLIANT' | 'UNKNOWN' | 'INCOMPLETE' | 'MISSING' | 'WAITING'

const LOOKS: Record<State, { sign: string; colour: string; variant: string }> = {
  COMPLIANT: { sign: '✓', colour: 'green', variant: 'light' },
  'NON-COMPLIANT': { sign: '✕', colour: 'red.9', variant: 'filled' },
  UNKNOWN: { sign: '?', colour: 'gray', variant: 'light' },
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

export function stateOf(compliant: boolean | null | undefined): State {
  if (compliant === null || compliant === undefined) return 'UNKNOWN'
  return compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}

/** Of one expected attestation. */
export function slotState(slot: { status: string; is_compliant: boolean | null }): State {
  if (slot.status === 'MISSING') return 'MISSING'
  return slot.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}
