// PUT /flows/{org}/template_file: create or update a flow with its template as a YAML file.

import { invalid } from '../../lib/errors.ts'
import { operation } from '../operation.ts'
import { MADE_HEADERS } from '../shared/made.ts'
import { Ok } from '../shared/wire.ts'
import { saveFlow } from './save.ts'
import { templateFromFile, templateFromList } from './template.ts'
import { FlowTemplatePut, OrgPath } from './wire.ts'

export const putFlowTemplateFile = operation(
  {
    id: 'putFlowTemplateFile',
    method: 'PUT',
    path: '/flows/{org}/template_file',
    tag: 'Flows',
    summary: 'Create or update a flow with a template file',
    description:
      'Multipart: `data_json` and, optionally, `template_file` with template YAML. Without a file a new flow gets the ' +
      'empty template and an existing one keeps its own. Trails keep the template they were begun with.',
    access: 'member',
    audit: ['flow_created', 'flow_updated'],
    params: OrgPath,
    body: FlowTemplatePut,
    form: { json_part: 'data_json', file_parts: ['template_file'] },
    returns: Ok,
    creates: true,
    answer_headers: [...MADE_HEADERS, 'Waybill-Warnings'],
    fails: [400, 403],
    example: { body: { name: 'frontend-ci', description: 'Builds of the frontend', visibility: 'private' } },
  },
  (request, deps) => {
    const { name, description, visibility, template: names } = request.body
    const file = request.files.template_file
    if (file && names) throw invalid({ template: 'Give either template or template_file, not both' })
    const template = file ? templateFromFile(file, deps.ids) : names && templateFromList(names, deps.ids)
    return saveFlow({ name, description, visibility, template }, request, deps)
  },
)
