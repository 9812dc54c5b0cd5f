// The type `decision`: what a person or a program decided about a control.
import { Type } from 'typebox'
import { CONTROL_IDENTIFIER, CONTROL_IDENTIFIER_MAX } from '../../names.ts'
import { about, Decided, Described, Open } from '../../schema.ts'
import { defineAttestationType } from '../define-type.ts'
import { TypeName } from '../fields.ts'
import { buildDeclaredVerdict } from '../phrases.ts'

/** The last second of the year 9999. */
const MAX_TIMESTAMP = 253_402_300_799

export const decision = defineAttestationType({
  name: 'decision',
  is_system: true,
  subject: 'a decision on a control',
  summary: 'Compliant when it says so; the control need not exist',
  is_stated: true,
  fields: {
    type_name: Described(TypeName('decision'), 'Always `decision`', 'decision'),
    control: Type.String({
      pattern: CONTROL_IDENTIFIER,
      maxLength: CONTROL_IDENTIFIER_MAX,
      description: 'Identifier of the control that the decision is about',
    }),
    expires_at: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_TIMESTAMP,
        ...about(
          'Time from which the decision no longer counts, in epoch seconds, in the future; never if omitted',
          4_102_444_800,
        ),
      }),
    ),
    attestation_data: Open('DecisionData', { is_compliant: Decided }, 'The decision and its supporting data'),
  },
  evaluate: ({ attestation_data }) => buildDeclaredVerdict('is_compliant', attestation_data.is_compliant),
  getControl: ({ control }) => control,
  getExpiry: ({ expires_at }) => expires_at,
  example: {
    attestation_name: 'four-eyes',
    type_name: 'decision',
    control: 'CTRL-7',
    attestation_data: { is_compliant: true, evaluated_by: 'release-gate', approvals: 2 },
  },
  command: {
    type_name: 'decision',
    control: 'YOUR_CONTROL',
    attestation_data: { is_compliant: 'TRUE_OR_FALSE' },
  },
  arguments: ['decision', '--control', 'YOUR_CONTROL', '--compliant=TRUE_OR_FALSE'],
})
