// The verdict of an override, which replaces the verdict of another attestation.
import type { AttestationVerdict } from './define-type.ts'
import { buildDeclaredVerdict } from './phrases.ts'

export const OVERRIDE_TYPE = 'override'

export function evaluateOverride(new_compliance_status: boolean): AttestationVerdict {
  return buildDeclaredVerdict('new_compliance_status', new_compliance_status)
}
