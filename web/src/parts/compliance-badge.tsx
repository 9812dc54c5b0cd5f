// COMPLIANT, NON-COMPLIANT or UNKNOWN: by word and by colour, never by colour alone.
import { Badge } from '@mantine/core'

export function ComplianceBadge({ compliant }: { compliant: boolean | null | undefined }) {
  const [word, colour] =
    compliant === true
      ? ['COMPLIANT', 'green']
      : compliant === false
        ? ['NON-COMPLIANT', 'red']
        : ['UNKNOWN', 'gray']
  return (
    <Badge color={colour} variant={compliant === false ? 'filled' : 'light'}>
      {word}
    </Badge>
  )
}
