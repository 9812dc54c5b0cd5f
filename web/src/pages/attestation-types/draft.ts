// A custom attestation type while it is being written: the content of the form, the request, and the
// equivalent commands.
import type { FormErrors } from '@mantine/form'
import { buildApiPath, buildCurl, buildWaybill } from '../../parts/curl.ts'
import type { Commands } from '../../parts/form-with-command.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { typeTexts as texts } from './texts.ts'

export interface TypeDraft {
  name: string
  description: string
  /** JSON; empty for any data. */
  type_schema: string
  rules: { key: string; program: string }[]
  summary: { key: string; name: string; expression: string }[]
}

export const INITIAL: TypeDraft = {
  name: '',
  description: '',
  type_schema: `{
  "type": "object",
  "properties": { "percent": { "type": "number" } },
  "required": ["percent"]
}`,
  rules: [{ key: '0', program: '.percent >= 80' }],
  summary: [],
}

/** A key that no other item of the list has. */
export const makeKey = (items: readonly { key: string }[]): string =>
  String(Math.max(-1, ...items.map(({ key }) => Number(key))) + 1)

export function validate({ name, type_schema }: TypeDraft): FormErrors {
  return {
    ...(name === '' && { name: texts.create.nameMissing }),
    ...(parseSchema(type_schema) === undefined && { type_schema: texts.create.schemaNotJson }),
  }
}

type Definition = Pick<Schemas['CustomAttestationTypePost'], 'evaluator' | 'summary' | 'type_schema'>
type JsonSchema = NonNullable<Definition['type_schema']>

/** Null for no schema; undefined if it is not a JSON object. */
function parseSchema(text: string): JsonSchema | null | undefined {
  if (text.trim() === '') return null
  const parsed = parseJson(text)
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  return isObject ? (parsed as JsonSchema) : undefined
}

/** Undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The form shows this error next to the field.
    return undefined
  }
}

export function toDefinition({ type_schema, rules, summary }: TypeDraft): Definition {
  const schema = parseSchema(type_schema)
  const programs = rules.map(({ program }) => program).filter(program => program.trim() !== '')
  const rows = summary.filter(({ name, expression }) => name !== '' && expression !== '')
  return {
    ...(programs.length > 0 && { evaluator: { content_type: 'jq' as const, rules: programs } }),
    ...(rows.length > 0 && { summary: rows.map(({ name, expression }) => ({ name, expression })) }),
    ...(schema && { type_schema: schema }),
  }
}

/** The form field for a path of the request: `evaluator.rules[1]` is the second rule. */
export function findField(path: string): string | undefined {
  const rule = /^evaluator\.rules(?:\[|\.)(\d+)/.exec(path)
  if (rule) return `rules.${rule[1]}.program`
  const row = /^summary(?:\[|\.)(\d+)\]?\.(name|expression)/.exec(path)
  return row ? `summary.${row[1]}.${row[2]}` : undefined
}

export function buildCommands(org: string, values: TypeDraft): Commands {
  const name = values.name || 'NAME'
  const { evaluator, summary = [], type_schema } = toDefinition(values)
  const about = values.description === '' ? {} : { description: values.description }
  const words = [
    'create',
    'attestation-type',
    name,
    ...(values.description === '' ? [] : ['--description', values.description]),
    ...(type_schema ? ['--schema', SCHEMA_FILE] : []),
    ...(evaluator?.rules ?? []).flatMap(rule => ['--jq', rule]),
    ...summary.flatMap(row => ['--summary', `${row.name}=${row.expression}`]),
  ]
  const body = { name, ...about, ...toDefinition(values) }
  return {
    waybill: buildWaybill(words, org),
    curl: buildCurl('POST', buildApiPath('custom-attestation-types', org), body),
    ...(type_schema && { note: texts.create.fileNote(SCHEMA_FILE) }),
  }
}

const SCHEMA_FILE = 'schema.json'
