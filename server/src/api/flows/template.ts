// Turns a template as sent into a template to store: parsed, with its initial compliance state and its content hash.
import { createHash } from 'node:crypto'
import { EMPTY_TEMPLATE_YAML, formatTemplateFromNames, parseTemplate } from '../../domain/template/parse.ts'
import { computeFreshState } from '../../domain/trail/evaluate.ts'
import { invalid } from '../../lib/errors.ts'
import type { Ids } from '../../lib/ids.ts'
import { parseUtf8 } from '../../lib/utf8.ts'
import type { NewTemplate } from './store.ts'

/** Parses an uploaded template; reports all errors at once. */
export function parseTemplateFile(file: Buffer, ids: Ids): NewTemplate {
  const content = parseUtf8(file)
  if (content === undefined) throw invalid({ template_file: 'Text is not valid UTF-8' })
  return parseTemplateText(content, ids, 'template_file')
}

/** Parses a template from a text field of the request. */
export function parseTemplateText(content: string, ids: Ids, field: string): NewTemplate {
  return buildTemplate(content.trim() === '' ? EMPTY_TEMPLATE_YAML : content, ids, field)
}

/** The legacy form: a list of attestation names for one artifact called `artifact`. */
export function parseTemplateList(names: string[], ids: Ids): NewTemplate {
  return buildTemplate(formatTemplateFromNames(names), ids, 'template_file')
}

export function buildEmptyTemplate(ids: Ids): NewTemplate {
  return buildTemplate(EMPTY_TEMPLATE_YAML, ids, 'template_file')
}

function buildTemplate(content: string, ids: Ids, field: string): NewTemplate {
  const result = parseTemplate(content)
  if (!result.ok) throw invalid(filterErrors(field, result.errors))
  return {
    template_id: ids.next(),
    content,
    content_sha256: createHash('sha256').update(content).digest('hex'),
    parsed: result.template,
    fresh_state: computeFreshState(result.template),
  }
}

/** Leaves out the error about `template_file` if the caller sent no file. */
function filterErrors(
  field: string,
  { template_file, ...errors }: Record<string, string>,
): Record<string, string> {
  return field === 'template_file' && template_file !== undefined ? { ...errors, template_file } : errors
}
