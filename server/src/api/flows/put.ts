// PUT /flows/{org}: creates or updates a flow from JSON, with the legacy list of attestation names as template.

import { defineOperation } from '../operation.ts'
import { CREATED_HEADERS } from '../shared/created-headers.ts'
import { OrgPath } from '../shared/fields.ts'
import { Ok } from '../shared/wire.ts'
import { saveFlow } from './save.ts'
import { parseTemplateList } from './template.ts'
import { FlowPut } from './wire.ts'

export const putFlow = defineOperation(
  {
    id: 'putFlow',
    method: 'PUT',
    path: '/flows/{org}',
    tag: 'Flows',
    summary: 'Create or update a flow',
    description:
      'The `template` list is the legacy form: the expected attestations of one artifact called `artifact`. ' +
      'Omitted fields keep their values. A PUT of an archived flow restores it.',
    access: 'member',
    audit: ['flow_created', 'flow_updated'],
    params: OrgPath,
    body: FlowPut,
    returns: Ok,
    creates: true,
    answer_headers: [...CREATED_HEADERS, 'Waybill-Warnings'],
    fails: [400, 403],
    example: { body: { name: 'backend-ci', description: 'Builds of the backend' } },
  },
  (request, deps) => {
    const { name, description, visibility, template } = request.body
    const parsed = template && parseTemplateList(template, deps.ids)
    return saveFlow({ name, description, visibility, template: parsed }, request, deps)
  },
)
