// Whether an attestation counts as compliant, and why, in a sentence.
import { Alert } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { toState } from '../../parts/state-badge.tsx'
import text_styles from '../../ui/text.module.css'

type Attestation = Schemas['Attestation']

/** Nothing is counted or compared for these: the verdict is what somebody says. */
const SAID_BY_SOMEBODY = ['generic', 'system:decision', 'system:sbom']

export function AttestationVerdict({ attestation }: { attestation: Attestation }) {
  const { is_compliant, waiting_for } = attestation
  return (
    <>
      <Alert
        color={is_compliant ? 'green' : 'red'}
        title={`Why it is ${toState(is_compliant)}`}
        classNames={{ title: text_styles.plain ?? '' }}
      >
        {reasonOf(attestation)}
      </Alert>
      {waiting_for !== null && (
        <Alert color="blue" title="Not bound yet" classNames={{ title: text_styles.plain ?? '' }}>
          <span className="long-name">It is {waiting_for}. It counts for no artifact until then.</span>
        </Alert>
      )}
    </>
  )
}

function reasonOf({ attestation_type, is_compliant, reported_by, verdict }: Attestation): string {
  const word = is_compliant ? 'compliant' : 'not compliant'
  if (attestation_type === 'override') return `${reported_by} replaced the verdict: it counts as ${word}.`
  if (SAID_BY_SOMEBODY.includes(attestation_type)) {
    return `${reported_by} reported it as ${word}.`
  }
  const { expected, found } = (verdict ?? {}) as { expected?: string; found?: string }
  return `Expected ${expected ?? 'nothing'}, found ${found ?? 'nothing'}.`
}
