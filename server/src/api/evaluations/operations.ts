// POST /evaluations/{org} and GET /evaluations/{org}/{evaluation_id}: evaluations of Rego on the server, which existing
// clients may request and which do not exist here.
import { Type } from 'typebox'
import { notImplemented } from '../../lib/errors.ts'
import { type Contract, defineOperation, type Operation } from '../operation.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { OrgName, OrgPath } from '../shared/fields.ts'
import { about, Closed } from '../shared/wire.ts'

const SENTENCE =
  'The server does not evaluate Rego; write the conditions into a policy instead (PUT /policies/{org}), which is evaluated wherever it is attached'

const SHARED = {
  tag: 'Policies',
  description: `Not implemented. ${SENTENCE}`,
  access: 'reader',
  audit: 'none: computes',
  returns: Type.Null(),
  fails: [400, 403],
  unimplemented: SENTENCE,
} as const

const EvaluationPath = Closed('EvaluationPath', {
  org: OrgName,
  evaluation_id: Type.String(about('Id of the evaluation', EXAMPLE_ID)),
})

const Evaluation = Type.Record(Type.String(), Type.Unknown(), {
  title: 'Evaluation',
  ...about('What to evaluate; it is not read', { context: {}, policy: {} }),
})

function defineUnimplemented(contract: Contract): Operation {
  return defineOperation(contract, async () => {
    throw notImplemented(SENTENCE)
  })
}

export const evaluationOperations: readonly Operation[] = [
  defineUnimplemented({
    ...SHARED,
    id: 'createEvaluation',
    method: 'POST',
    path: '/evaluations/{org}',
    summary: 'Evaluate Rego on the server',
    params: OrgPath,
    body: Evaluation,
    example: { body: { context: {}, policy: {} } },
  }),
  defineUnimplemented({
    ...SHARED,
    id: 'getEvaluation',
    method: 'GET',
    path: '/evaluations/{org}/{evaluation_id}',
    summary: 'Get an evaluation of Rego',
    params: EvaluationPath,
  }),
]
