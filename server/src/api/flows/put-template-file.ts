// PUT /flows/{org}/template_file: creates or updates a flow with its template as a YAML file.

import { invalid } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { CREATED_HEADERS } from '../shared/created-headers.ts'
import { OrgPath } from '../shared/fields.ts'
import { Ok } from '../shared/wire.ts'
import { saveFlow } from './save.ts'
import { parseTemplateFile, parseTemplateList } from './template.ts'
import { FlowTemplatePut } from './wire.ts'

export const putFlowTemplateFile = defineOperation(
  {
    id: 'putFlowTemplateFile',
    method: 'PUT',
    path: '/flows/{org}/template_file',
    tag: 'Flows',
    summary: 'Create or update a flow with a template file',
    description:
      'Send a multipart form with `data_json` and, optionally, `template_file` with template YAML. Without a file, ' +
      'a new flow gets the empty template and an existing one keeps its own. Trails keep the template they started ' +
      'with.',
    access: 'member',
    audit: ['flow_created', 'flow_updated'],
    params: OrgPath,
    body: FlowTemplatePut,
    form: { json_part: 'data_json', file_parts: ['template_file'] },
    returns: Ok,
    creates: true,
    answer_headers: [...CREATED_HEADERS, 'Waybill-Warnings'],
    fails: [400, 403],
    example: { body: { name: 'frontend-ci', description: 'Builds of the frontend', visibility: 'private' } },
  },
  (request, deps) => {
    const { name, description, visibility, template: names } = request.body
    const file = request.files.template_file
    if (file && names) throw invalid({ template: 'Give either template or template_file, not both' })
    const template = file ? parseTemplateFile(file, deps.ids) : names && parseTemplateList(names, deps.ids)
    return saveFlow({ name, description, visibility, template }, request, deps)
  },
)
