// PUT /policies/{org}: creates a policy, or a new version of it, under the name in the body.

import { defineOperation } from '../operation.ts'
import { CREATED_HEADERS } from '../shared/created-headers.ts'
import { Ok } from '../shared/wire.ts'
import { FILE_PART, JSON_PART, readYaml, savePolicy } from './save.ts'
import { PoliciesPath, PolicyPut } from './wire.ts'

export const putPolicy = defineOperation(
  {
    id: 'putPolicy',
    method: 'PUT',
    path: '/policies/{org}',
    tag: 'Policies',
    summary: 'Create or update a policy',
    description:
      'Multipart: `payload` and `policy_file` with policy YAML of at most 1 MiB; or JSON with `policy_yaml`. A changed text ' +
      'creates a new version and re-evaluates the environments that the policy is attached to; the same text creates none. ' +
      'Omit the description to keep it. An archived policy is restored.',
    access: 'member',
    audit: ['policy_created', 'policy_updated'],
    params: PoliciesPath,
    body: PolicyPut,
    form: { json_part: JSON_PART, file_parts: [FILE_PART] },
    returns: Ok,
    creates: true,
    answer_headers: [...CREATED_HEADERS, 'Waybill-Warnings'],
    fails: [400, 403],
    example: {
      body: {
        name: 'provenance-required',
        description: 'All deployed artifacts were built by us',
        comment: 'First version',
        type: 'env',
        policy_yaml:
          '_schema: https://waybill.example/schemas/policy/environment/v1\n' +
          'artifacts:\n  provenance:\n    required: true\n',
      },
    },
  },
  (request, deps) => {
    const { body, files } = request
    const { name, description, comment } = body
    const policy_yaml = readYaml(body, files[FILE_PART], FILE_PART)
    return savePolicy({ name, description, comment, policy_yaml }, request, deps)
  },
)
