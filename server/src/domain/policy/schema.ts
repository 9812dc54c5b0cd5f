// The language of policies as a JSON Schema, for editors and for those who check a file before they send it. Made of the
// same words as the parser (parse.ts), which has the last word: it also reads the expressions and knows the controls.
import { toStoredType } from '../attestation/types.ts'
import { ATTESTATION_NAME } from '../names.ts'
import { ATTESTATION_TYPE, DIALECT } from '../template/schema.ts'
import { ANY_TYPE } from '../template/template.ts'
import { ANY_NAME, DECISION_TYPE, MAX_EXCEPTIONS, MAX_RULES } from './policy.ts'

const expression = {
  type: 'string',
  pattern: '^\\s*\\$\\{\\{[\\s\\S]*\\}\\}\\s*$',
  description: 'An expression in the braces of expressions, after a dollar sign',
}

const buildRequirement = (description: string) => ({
  description,
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    required: { type: 'boolean', default: false },
    exceptions: {
      description: 'Where it is not asked for',
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
  description: 'What must hold of the artifacts that run in an environment',
  type: 'object',
  required: ['_schema'],
  additionalProperties: false,
  properties: {
    _schema: {
      description: 'A URL whose path ends in `/v1`, such as that of this schema',
      type: 'string',
      pattern: '^\\s*[A-Za-z][A-Za-z0-9+.\\-]*:[^?#]*/v1\\s*([?#][\\s\\S]*)?$',
    },
    artifacts: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        provenance: buildRequirement('Whether a flow must know how the artifact was built'),
        'trail-compliance': buildRequirement('Whether the trail of the artifact must be compliant'),
        attestations: {
          description: 'What must be attested',
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
          description: 'The name of the attestation; `*` is any',
          type: 'string',
          default: ANY_NAME,
          anyOf: [{ const: ANY_NAME }, { pattern: ATTESTATION_NAME }],
        },
        type: ATTESTATION_TYPE,
        if: { anyOf: [expression, { type: 'null' }] },
        must_be_compliant: { type: 'boolean', default: true },
        for_control: {
          description: 'Only decisions on this control',
          type: ['string', 'null'],
        },
      },
      // Name and type must not both be any.
      not: {
        required: ['type'],
        properties: { name: { const: ANY_NAME }, type: { const: ANY_TYPE } },
      },
      if: { required: ['for_control'], properties: { for_control: { type: 'string' } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { properties: { type: { enum: [DECISION_TYPE, toStoredType(DECISION_TYPE)] } } },
    },
  },
} as const
