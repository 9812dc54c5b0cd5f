// The language of flow templates as a JSON Schema, for editors and for checking a file before sending it. It shares
// its constants with the parser (parse.ts), which has the last word: the parser also checks that names are unique.
import { SYSTEM_TYPES } from '../attestation/types.ts'
import { ATTESTATION_NAME, TEMPLATE_NAME } from '../names.ts'
import { CUSTOM_TYPE, FIXED_TYPES } from './template.ts'

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/** A type of attestation in a template or rule. */
export const ATTESTATION_TYPE = {
  description: 'A type of attestation; `*` matches any',
  anyOf: [
    { enum: [...FIXED_TYPES, ...SYSTEM_TYPES.map(({ stored_name }) => stored_name)] },
    { type: 'string', pattern: CUSTOM_TYPE },
  ],
}

const attestations = {
  type: 'array',
  description: 'Required attestations; each name once',
  items: { $ref: '#/$defs/attestation' },
}

export const TEMPLATE_SCHEMA = {
  $schema: DIALECT,
  title: 'Flow template',
  description: 'What a trail of the flow needs to be compliant',
  type: 'object',
  required: ['version'],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    trail: {
      description: 'The required evidence; none if omitted',
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        attestations,
        artifacts: {
          type: 'array',
          description: 'The artifacts to build; each name once',
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
