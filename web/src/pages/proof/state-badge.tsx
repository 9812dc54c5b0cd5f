// A state of the log or of a witness: a word, a colour and an icon.
import { Badge } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'

interface Look {
  word: string
  colour: string
  variant: 'light' | 'filled' | 'outline'
  Icon: Icon
}

export function StateBadge({ look: { word, colour, variant, Icon } }: { look: Look }) {
  return (
    <Badge
      color={colour}
      variant={variant}
      miw="max-content"
      c={variant === 'filled' ? 'white' : 'var(--mantine-color-text)'}
      leftSection={<Icon size={12} stroke={3} aria-hidden="true" />}
    >
      {word}
    </Badge>
  )
}
