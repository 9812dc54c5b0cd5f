// GET /schemas/environment-policy/v1: the JSON Schema of policies.
import { POLICY_SCHEMA } from '../../domain/policy/schema.ts'
import { defineOperation } from '../operation.ts'
import { LanguageSchema } from './wire.ts'

export const getEnvironmentPolicySchema = defineOperation(
  {
    id: 'getEnvironmentPolicySchema',
    method: 'GET',
    path: '/schemas/environment-policy/v1',
    tag: 'Policies',
    summary: 'Get the JSON Schema of policies',
    description:
      'For editors, and to validate a policy before you send it. Its URL can be the `_schema` of a policy. Expressions and ' +
      'controls are only checked when the policy is sent.',
    access: 'public',
    audit: 'none: reads',
    returns: LanguageSchema,
    fails: [],
  },
  async ({ url }) => ({ $id: url, ...POLICY_SCHEMA }),
)
