// An example body for each kind of attestation that is not a built-in type: shown in the OpenAPI document, sent by
// the tests. The examples of the built-in types are in domain/attestation/types/.
import { SHARED_EXAMPLE } from '../../domain/attestation/define-type.ts'
import type { CustomBody, OverrideBody } from './bodies.ts'

export const CUSTOM_EXAMPLE: CustomBody = {
  ...SHARED_EXAMPLE,
  attestation_name: 'coverage',
  type_name: 'coverage-metrics',
  attestation_data: { line_coverage: 91.2, branch_coverage: 84 },
}

export const OVERRIDE_EXAMPLE: OverrideBody = {
  ...SHARED_EXAMPLE,
  attestation_name: 'vulnerability-scan',
  reason: 'The finding is in a tool that we do not ship',
  new_compliance_status: true,
  original_attestation_type: 'snyk',
}
