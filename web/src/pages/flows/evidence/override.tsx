// A verdict that somebody replaced, and why.
import { Alert } from '@mantine/core'
import text_styles from '../../../ui/text.module.css'

interface OverrideProps {
  reason: string
  original_type: string
  is_compliant: boolean
}

export function Override({ reason, original_type, is_compliant }: OverrideProps) {
  const word = is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
  return (
    <Alert
      color="orange"
      title={`Overridden: the ${original_type} attestation now counts as ${word}`}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      {reason}
    </Alert>
  )
}
