// Explains in one sentence why an attestation is compliant or not.
import { Alert } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { describeState, toState } from '../../parts/state-badge.tsx'
import text_styles from '../../ui/text.module.css'
import { trailTexts as texts } from './texts-trail.ts'

type Attestation = Schemas['Attestation']
type BuiltInType = Schemas['BuiltInAttestationType']

interface AttestationVerdictProps {
  attestation: Attestation
  built_in_types: BuiltInType[]
}

export function AttestationVerdict({ attestation, built_in_types }: AttestationVerdictProps) {
  const { is_compliant, waiting_for } = attestation
  return (
    <>
      <Alert
        color={is_compliant ? 'green' : 'red'}
        title={texts.verdict.why(describeState(toState(is_compliant)))}
        classNames={{ title: text_styles.plain ?? '' }}
      >
        {explainVerdict(attestation, built_in_types)}
      </Alert>
      {waiting_for !== null && (
        <Alert color="blue" title={texts.verdict.notBound} classNames={{ title: text_styles.plain ?? '' }}>
          <span className="long-name">{texts.verdict.notBoundHint(waiting_for)}</span>
        </Alert>
      )}
    </>
  )
}

function explainVerdict(
  { attestation_type, is_compliant, reported_by, verdict }: Attestation,
  types: BuiltInType[],
): string {
  const word = is_compliant ? texts.verdict.compliant : texts.verdict.notCompliant
  if (attestation_type === 'override') return texts.verdict.overridden(reported_by, word)
  if (types.some(type => type.is_stated && type.attestation_type === attestation_type)) {
    return texts.verdict.stated(reported_by, word)
  }
  const { expected, found } = (verdict ?? {}) as { expected?: string; found?: string }
  return texts.verdict.compared(expected ?? texts.verdict.nothing, found ?? texts.verdict.nothing)
}
