// API schema of the JSON Schemas for policies and templates.
import { Type } from 'typebox'

export const LanguageSchema = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  title: 'LanguageSchema',
  description: 'A JSON Schema, draft 2020-12',
  additionalProperties: true,
})
