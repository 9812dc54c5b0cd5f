// A state as the API spells it, by word and by colour.
import { Badge } from '@mantine/core'

const COLOURS: Record<string, string> = {
  COMPLIANT: 'green',
  'NON-COMPLIANT': 'red.9',
  INCOMPLETE: 'yellow',
  MISSING: 'red',
  WAITING: 'blue',
}

export function StateBadge({ state }: { state: string | null | undefined }) {
  const word = state ?? 'UNKNOWN'
  const isLoud = word === 'NON-COMPLIANT'
  return (
    <Badge
      color={COLOURS[word] ?? 'gray'}
      variant={isLoud ? 'filled' : word === 'MISSING' ? 'outline' : 'light'}
      miw="max-content"
      c={isLoud ? 'white' : 'var(--mantine-color-text)'}
    >
      {word}
    </Badge>
  )
}

/** The word for one expected attestation. */
export function slotState(slot: { status: string; is_compliant: boolean | null }): string {
  if (slot.status === 'MISSING') return 'MISSING'
  return slot.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}
