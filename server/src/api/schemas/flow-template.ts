// GET /schemas/flow-template/v1: the JSON Schema of flow templates.
import { TEMPLATE_SCHEMA } from '../../domain/template/schema.ts'
import { defineOperation } from '../operation.ts'
import { LanguageSchema } from './wire.ts'

export const getFlowTemplateSchema = defineOperation(
  {
    id: 'getFlowTemplateSchema',
    method: 'GET',
    path: '/schemas/flow-template/v1',
    tag: 'Flows',
    summary: 'Get the JSON Schema of flow templates',
    description:
      'For editors, and to validate a template before you send it. Duplicate names are only detected when it is sent.',
    access: 'public',
    audit: 'none: reads',
    returns: LanguageSchema,
    fails: [],
  },
  async ({ url }) => ({ $id: url, ...TEMPLATE_SCHEMA }),
)
