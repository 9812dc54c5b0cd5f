// The language of flow templates as a JSON Schema, for editors and for those who check a file before they send it. Made of
// the same words as the parser (parse.ts), which has the last word: it also knows which names must differ.
import { SYSTEM_TYPES } from '../attestation/types.ts'
import { ATTESTATION_NAME, TEMPLATE_NAME } from '../names.ts'
import { CUSTOM_TYPE, FIXED_TYPES } from './template.ts'

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/** What may stand where a type of attestation is asked for. */
export const ATTESTATION_TYPE = {
  description: 'A type of attestation; `*` is any',
  anyOf: [
    { enum: [...FIXED_TYPES, ...SYSTEM_TYPES.map(type => `system:${type}`)] },
    { type: 'string', pattern: CUSTOM_TYPE },
  ],
}

const attestations = {
  type: 'array',
  description: 'What must be attested; each name once',
  items: { $ref: '#/$defs/attestation' },
}

export const TEMPLATE_SCHEMA = {
  $schema: DIALECT,
  title: 'Flow template',
  description: 'What a trail of a flow must have to be compliant',
  type: 'object',
  required: ['version'],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    trail: {
      description: 'What is asked for; nothing when it is left out',
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        attestations,
        artifacts: {
          type: 'array',
          description: 'The artifacts that are built; each name once',
          items: { $ref: '#/$defs/artifact' },
        },
      },
    },
  },
  $defs: {
    artifact: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: { type: 'string', pattern: TEMPLATE_NAME }, attestations },
    },
    attestation: {
      type: 'object',
      required: ['name', 'type'],
      additionalProperties: false,
      properties: { name: { type: 'string', pattern: ATTESTATION_NAME }, type: ATTESTATION_TYPE },
    },
  },
} as const
