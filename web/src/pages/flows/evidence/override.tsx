// An overridden verdict and the reason for it.
import { Alert } from '@mantine/core'
import { describeState, toState } from '../../../parts/state-badge.tsx'
import text_styles from '../../../ui/text.module.css'
import { evidenceTexts as texts } from './texts.ts'

interface OverrideProps {
  reason: string
  original_type: string
  is_compliant: boolean
}

export function Override({ reason, original_type, is_compliant }: OverrideProps) {
  return (
    <Alert
      color="orange"
      title={texts.override.title(original_type, describeState(toState(is_compliant)))}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      {reason}
    </Alert>
  )
}
