// From what a caller sent as a template to what is stored: parsed, judged once, named by its content.
import { createHash } from 'node:crypto'
import { EMPTY_TEMPLATE_YAML, parseTemplate, templateFromNames } from '../../domain/template/parse.ts'
import { freshState } from '../../domain/trail/judge.ts'
import { invalid } from '../../lib/errors.ts'
import type { Ids } from '../../lib/ids.ts'
import { parseUtf8 } from '../../lib/utf8.ts'
import type { NewTemplate } from './store.ts'

/** The template of an upload; every error in it at once. */
export function templateFromFile(file: Buffer, ids: Ids): NewTemplate {
  const content = parseUtf8(file)
  if (content === undefined) throw invalid({ template_file: 'Text is not valid UTF-8' })
  return checked(content.trim() === '' ? EMPTY_TEMPLATE_YAML : content, ids)
}

/** The legacy form: a list of attestation names for one artifact called `artifact`. */
export function templateFromList(names: string[], ids: Ids): NewTemplate {
  return checked(templateFromNames(names), ids)
}

export function emptyTemplate(ids: Ids): NewTemplate {
  return checked(EMPTY_TEMPLATE_YAML, ids)
}

function checked(content: string, ids: Ids): NewTemplate {
  const result = parseTemplate(content)
  if (!result.ok) throw invalid(result.errors)
  return {
    template_id: ids.next(),
    content,
    content_sha256: createHash('sha256').update(content).digest('hex'),
    parsed: result.template,
    fresh_state: freshState(result.template),
  }
}
