// POST /custom-attestation-types/{org}/try: evaluates an example with a schema and rules that are not stored yet.
// Nothing is stored.
import { invalid } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { evaluateData } from './evaluate.ts'
import { toJqOrg } from './jq-org.ts'
import { findVersionProblems, readVersion } from './read-version.ts'
import { CustomAttestationTypeTried, CustomAttestationTypeTry, TypesPath } from './wire.ts'

const NOT_EVALUATED = { matches_schema: false, is_compliant: null, found: null, rules: [], summary: [] }

export const tryCustomAttestationType = defineOperation(
  {
    id: 'tryCustomAttestationType',
    method: 'POST',
    path: '/custom-attestation-types/{org}/try',
    tag: 'Custom attestation types',
    summary: 'Try a custom attestation type on an example',
    description:
      'Evaluates the data as an attestation of such a type would be evaluated. Data that does not match the schema is a ' +
      'result here, not an error. Nothing is stored.',
    access: 'member',
    audit: 'none: computes',
    params: TypesPath,
    body: CustomAttestationTypeTry,
    returns: CustomAttestationTypeTried,
    fails: [400, 403],
    example: {
      body: {
        evaluator: { content_type: 'jq', rules: ['.line_coverage >= 80'] },
        summary: [{ name: 'Lines', expression: '.line_coverage' }],
        type_schema: { type: 'object', required: ['line_coverage'] },
        attestation_data: { line_coverage: 91 },
      },
    },
  },
  async ({ body, org }, deps): Promise<CustomAttestationTypeTried> => {
    const version = readVersion(body, undefined, deps)
    const jq = deps.jq.forOrg(toJqOrg(org))
    const errors = await findVersionProblems(version, jq)
    if (errors) throw invalid(errors)
    const { attestation_data } = body
    const schema_errors =
      version.type_schema && (await jq.listSchemaErrors(version.type_schema, attestation_data))
    if (schema_errors) return { ...NOT_EVALUATED, schema_errors }
    const { verdict, rules, summary } = await evaluateData(jq, version, attestation_data)
    const { is_compliant, found } = verdict
    return { matches_schema: true, schema_errors: {}, is_compliant, found, rules, summary }
  },
)
