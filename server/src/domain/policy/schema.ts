// The policy language as a JSON Schema, for editors and for checking a file before sending it. It shares its
// constants with the parser (parse.ts), which has the last word: the parser also reads expressions and knows the
// controls.
import { toStoredType } from '../attestation/types.ts'
import { ATTESTATION_NAME } from '../names.ts'
import { ATTESTATION_TYPE, DIALECT } from '../template/schema.ts'
import { ANY_TYPE } from '../template/template.ts'
import { ANY_NAME, DECISION_TYPE, MAX_EXCEPTIONS, MAX_RULES } from './policy.ts'

const expression = {
  type: 'string',
  pattern: '^\\s*\\$\\{\\{[\\s\\S]*\\}\\}\\s*$',
  description: 'An expression in double braces after a dollar sign',
}

const buildRequirement = (description: string) => ({
  description,
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    required: { type: 'boolean', default: false },
    exceptions: {
      description: 'Conditions that waive the requirement',
      type: 'array',
      maxItems: MAX_EXCEPTIONS,
      items: {
        type: 'object',
        required: ['if'],
        additionalProperties: false,
        properties: { if: expression },
      },
    },
  },
})

export const POLICY_SCHEMA = {
  $schema: DIALECT,
  title: 'Environment policy',
  description: 'Requirements for the artifacts that run in an environment',
  type: 'object',
  required: ['_schema'],
  additionalProperties: false,
  properties: {
    _schema: {
      description: 'A URL whose path ends in `/v1`, such as the URL of this schema',
      type: 'string',
      pattern: '^\\s*[A-Za-z][A-Za-z0-9+.\\-]*:[^?#]*/v1\\s*([?#][\\s\\S]*)?$',
    },
    artifacts: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        provenance: buildRequirement('Whether the artifact must have been reported to a flow'),
        'trail-compliance': buildRequirement('Whether the trail of the artifact must be compliant'),
        attestations: {
          description: 'Required attestations',
          type: 'array',
          maxItems: MAX_RULES,
          items: { $ref: '#/$defs/attestation' },
        },
      },
    },
  },
  $defs: {
    attestation: {
      type: 'object',
      required: ['type'],
      additionalProperties: false,
      properties: {
        name: {
          description: 'The name of the attestation; `*` matches any',
          type: 'string',
          default: ANY_NAME,
          anyOf: [{ const: ANY_NAME }, { pattern: ATTESTATION_NAME }],
        },
        type: ATTESTATION_TYPE,
        if: { anyOf: [expression, { type: 'null' }] },
        must_be_compliant: { type: 'boolean', default: true },
        for_control: {
          description: 'Accept only decisions on this control',
          type: ['string', 'null'],
        },
      },
      // Name and type must not both be `*`.
      not: {
        required: ['type'],
        properties: { name: { const: ANY_NAME }, type: { const: ANY_TYPE } },
      },
      if: { required: ['for_control'], properties: { for_control: { type: 'string' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { type: { enum: [DECISION_TYPE, toStoredType(DECISION_TYPE)] } } },
    },
  },
} as const
