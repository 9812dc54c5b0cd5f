// PUT /policies/{org}/{name}: creates a policy, or a new version of it, under the name in the path.

import { invalid } from '../../lib/errors.ts'
import { formatInput } from '../../lib/sentences.ts'
import { defineOperation } from '../operation.ts'
import { CREATED_HEADERS } from '../shared/created-headers.ts'
import { Ok } from '../shared/wire.ts'
import { FILE_PART, JSON_PART, readYaml, savePolicy } from './save.ts'
import { NamedPolicyPut, NewPolicyPath } from './wire.ts'

export const putNamedPolicy = defineOperation(
  {
    id: 'putNamedPolicy',
    method: 'PUT',
    path: '/policies/{org}/{name}',
    tag: 'Policies',
    summary: 'Create or update the policy with this name',
    description:
      'JSON with `policy_yaml`, or multipart: `payload` and `policy_file` with policy YAML of at most 1 MiB. Otherwise ' +
      'works like the PUT without a name. A name in the body must match the path.',
    access: 'member',
    audit: ['policy_created', 'policy_updated'],
    params: NewPolicyPath,
    body: NamedPolicyPut,
    form: { json_part: JSON_PART, file_parts: [FILE_PART] },
    returns: Ok,
    creates: true,
    answer_headers: [...CREATED_HEADERS, 'Waybill-Warnings'],
    fails: [400, 403],
    example: {
      params: { name: 'tests-required' },
      body: {
        description: 'All deployed artifacts were tested',
        policy_yaml:
          '_schema: https://waybill.example/schemas/policy/environment/v1\n' +
          'artifacts:\n  attestations:\n    - type: junit\n',
      },
    },
  },
  (request, deps) => {
    const { params, body, files } = request
    const { name } = params
    if (body.name !== undefined && body.name !== name) {
      const sentence = `Input should be '${name}', the name in the path [input: ${formatInput(body.name)}]`
      throw invalid({ name: sentence })
    }
    const { description, comment } = body
    const policy_yaml = readYaml(body, files[FILE_PART], 'policy_yaml')
    return savePolicy({ name, description, comment, policy_yaml }, request, deps)
  },
)
