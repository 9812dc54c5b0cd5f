// The type `generic`: anything that no other type describes. The reporter states the verdict.
import { Type } from 'typebox'
import { about } from '../../schema.ts'
import { defineAttestationType } from '../define-type.ts'
import { buildDeclaredVerdict } from '../phrases.ts'

export const generic = defineAttestationType({
  name: 'generic',
  subject: 'a generic attestation',
  summary: 'Compliant when it says so',
  is_stated: true,
  fields: { is_compliant: Type.Boolean(about('The verdict of the reporter', true)) },
  evaluate: ({ is_compliant }) => buildDeclaredVerdict('is_compliant', is_compliant),
  example: {
    attestation_name: 'peer-review',
    description: 'Two people reviewed the change',
    annotations: { reviewers: 'mira, tom' },
    is_compliant: true,
  },
  command: { is_compliant: 'TRUE_OR_FALSE' },
  arguments: ['generic', '--compliant=TRUE_OR_FALSE'],
})
