// Reads the schema, the rules and the summary of a custom attestation type from a request, and checks that they are valid.
import type { TypeVersion } from '../../domain/custom-type/version.ts'
import type { Jq } from '../../jq/engine.ts'
import { type FieldErrors, invalid } from '../../lib/errors.ts'
import { formatInput } from '../../lib/sentences.ts'
import type { Deps } from '../operation.ts'
import type { CustomAttestationTypePost } from './wire.ts'

/** Prefix of field names in errors, the same as in body validation. */
export const JSON_PART = 'data_json'

/** Schema, rules and summary of a request. */
export function readVersion(
  body: Pick<CustomAttestationTypePost, 'evaluator' | 'summary' | 'type_schema'>,
  file: Buffer | undefined,
  deps: Deps,
): TypeVersion {
  const { evaluator, summary } = body
  if (file && body.type_schema)
    throw invalid({ type_schema: 'Send the schema once: as a file or in the JSON' })
  if (evaluator?.content_type === 'default' && evaluator.rules) {
    throw invalid({ [`${JSON_PART}.evaluator.rules`]: "Rules need the content type 'jq'" })
  }
  return {
    type_schema: (file ? parseSchema(file, deps) : body.type_schema) ?? null,
    // An empty list of rules means the same as no list.
    rules: evaluator?.rules?.length ? evaluator.rules : null,
    summary: summary?.length ? summary : null,
  }
}

function parseSchema(file: Buffer, { parseJson }: Deps): Record<string, unknown> {
  const schema = parseJson(file, 'type_schema')
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) {
    return schema as Record<string, unknown>
  }
  throw invalid({ type_schema: `Input should be a valid dictionary [input: ${formatInput(schema)}]` })
}

/** The problems that prevent storing it, by field. */
export async function findVersionProblems(version: TypeVersion, jq: Jq): Promise<FieldErrors | undefined> {
  const errors: [string, string][] = []
  if (version.type_schema) {
    const problem = await jq.findSchemaProblem(version.type_schema)
    if (problem) errors.push(['type_schema', `Input should be a valid JSON Schema: ${problem}`])
  }
  const programs = [
    ...(version.rules ?? []).map((program, i) => ({ program, field: `evaluator.rules[${i}]` })),
    ...(version.summary ?? []).map(({ expression }, i) => ({
      program: expression,
      field: `summary[${i}].expression`,
    })),
  ]
  const problems = await jq.listCompileProblems(programs.map(({ program }) => program))
  programs.forEach(({ program, field }, i) => {
    if (problems[i] === undefined) return
    const sentence = `Input should be a valid jq program: ${problems[i]} [input: ${formatInput(program)}]`
    errors.push([`${JSON_PART}.${field}`, sentence])
  })
  return errors.length === 0 ? undefined : Object.fromEntries(errors)
}
