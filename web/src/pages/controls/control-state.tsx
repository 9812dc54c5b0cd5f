// The state of a control in an environment, shown by word, colour and sign, never by colour alone.
import { Badge } from '@mantine/core'
import { IconCheck, IconClockOff, IconMinus, IconQuestionMark, IconX } from '@tabler/icons-react'
import type { Schemas } from '../../parts/schemas.ts'
import styles from './control-state.module.css'
import { stateTexts as texts } from './texts-states.ts'

export type ControlState = Schemas['ControlCell']['state']
export type ControlOutcome = Schemas['ControlEvidence']['outcome']

const ICON_SIZE = 12
const ICONS = {
  met: IconCheck,
  failing: IconX,
  expired: IconClockOff,
  unknown: IconQuestionMark,
  'not-evaluated': IconQuestionMark,
  'not-required': IconMinus,
  'not-applicable': IconMinus,
}

/** The same as in the badges of other states. */
const MEANINGS: Partial<Record<ControlState | ControlOutcome, 'bad' | 'open'>> = {
  failing: 'bad',
  expired: 'bad',
  unknown: 'open',
  'not-evaluated': 'open',
}

function Sign({ of, word }: { of: ControlState | ControlOutcome; word: string }) {
  const Icon = ICONS[of]
  return (
    <Badge
      className={`${styles.state} ${styles[of]}`}
      data-state={MEANINGS[of]}
      miw="max-content"
      leftSection={<Icon size={ICON_SIZE} stroke={3} aria-hidden="true" />}
    >
      {word}
    </Badge>
  )
}

export const ControlStateBadge = ({ state }: { state: ControlState }) => (
  <Sign of={state} word={texts.states[state]} />
)

export const OutcomeBadge = ({ outcome }: { outcome: ControlOutcome }) => (
  <Sign of={outcome} word={texts.evidence.outcomes[outcome]} />
)
