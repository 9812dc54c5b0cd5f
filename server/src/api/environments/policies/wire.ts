// API schema of the policies to attach to or detach from an environment.
import { Type } from 'typebox'
import { about, Closed, Naming } from '../../shared/wire.ts'

const MAX_NAME = 255
const MAX_NAMES = 100

export const EnvironmentPolicies = Closed('EnvironmentPolicies', {
  policy_names: Type.Array(Naming('policy', Type.String({ minLength: 1, maxLength: MAX_NAME })), {
    minItems: 1,
    maxItems: MAX_NAMES,
    ...about('Names of the policies', ['production-rules']),
  }),
})
