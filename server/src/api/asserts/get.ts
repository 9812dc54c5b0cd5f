// GET /asserts/{org}/fingerprint/{fingerprint}: whether an artifact may be deployed, evaluated now, with the reasons.
import { badRequest } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { evaluateAssertion } from './evaluate.ts'
import { Assertion, AssertPath, AssertQuery } from './wire.ts'

export const assertArtifact = defineOperation(
  {
    id: 'assertArtifact',
    method: 'GET',
    path: '/asserts/{org}/fingerprint/{fingerprint}',
    tag: 'Asserts',
    summary: 'Assert that an artifact is compliant',
    description:
      'Evaluates current evidence against the policies of an environment, against the named policies, or by ' +
      'default against the template of every flow that has the artifact. A non-compliant artifact returns 200 with ' +
      '`compliant` false, the reasons and what would make it compliant. For a logical environment it must be ' +
      'compliant in every member. An artifact that is in no flow returns 404, unless it is on the allow-list of ' +
      'the environment',
    access: 'reader',
    audit: 'none: reads',
    params: AssertPath,
    query: AssertQuery,
    returns: Assertion,
    fails: [400, 403, 404],
    example: { params: { fingerprint: 'b5bb9d80' } },
  },
  ({ params, query, org, now }, { db, compiled_policies, base_url }) => {
    const policy_names = [...new Set(query.policy_name ?? [])]
    if (query.environment_name !== undefined && policy_names.length > 0)
      throw badRequest("Cannot specify both 'environment_name' and 'policy_name' at the same time")
    const { flow_name, environment_name } = query
    const requested = {
      prefix: params.fingerprint,
      flow_name: flow_name || null,
      environment_name,
      policy_names,
    }
    return db.withTransaction({ org_id: org.org_id }, tx =>
      evaluateAssertion(tx, org, requested, { now, compiled_policies, base_url }),
    )
  },
)
