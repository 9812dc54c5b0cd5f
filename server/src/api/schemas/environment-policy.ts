// GET /schemas/environment-policy/v1: what a policy may say, as a JSON Schema.
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
      'For editors, and to check a policy before it is sent; its address can be the `_schema` of a policy. Expressions ' +
      'and controls are checked when the policy is sent',
    access: 'public',
    audit: 'none: reads',
    returns: LanguageSchema,
    fails: [],
  },
  async ({ url }) => ({ $id: url, ...POLICY_SCHEMA }),
)
