// Renders the statement of an OSCAL control as plain text: its parts one below the other, with parameters inserted.

export interface Parameter {
  id: string
  label: string | undefined
  values: string[]
  choices: string[]
}

export interface Part {
  name: string
  label: string | undefined
  prose: string | undefined
  parts: Part[]
}

const STATEMENT = 'statement'
const ITEM = 'item'
const INDENT = '  '
// Choices may insert parameters with further choices; this limit breaks cycles.
const MAX_INSERTIONS_DEEP = 4
const INSERTION = /\{\{\s*insert:\s*param,\s*([^\s{}]+)\s*\}\}/g

/**
 * At most about `max` characters: longer text is never built in full, so that a small file cannot produce a huge
 * text.
 */
export function renderStatement(
  parts: readonly Part[],
  parameters: ReadonlyMap<string, Parameter>,
  max: number,
): string {
  const lines: string[] = []
  let length = 0
  const addPart = ({ label, prose, parts: inner }: Part, depth: number): void => {
    if (length > max) return
    const text = insertParameters(prose ?? '', parameters, max - length, MAX_INSERTIONS_DEEP)
    const line = [label, text].filter(word => word !== undefined && word !== '').join(' ')
    if (line !== '') {
      lines.push(INDENT.repeat(depth) + line)
      length += line.length + 1
    }
    for (const part of inner) if (part.name === ITEM) addPart(part, line === '' ? depth : depth + 1)
  }
  for (const part of parts) if (part.name === STATEMENT) addPart(part, 0)
  return lines.join('\n')
}

/** Undeclared parameters stay as written. */
function insertParameters(
  text: string,
  parameters: ReadonlyMap<string, Parameter>,
  max: number,
  levels: number,
): string {
  let made = ''
  let from = 0
  for (const { 0: written, 1: id = '', index } of text.matchAll(INSERTION)) {
    if (made.length > max) return made
    const parameter = parameters.get(id)
    made += text.slice(from, index)
    made += parameter && levels > 0 ? renderParameter(parameter, parameters, max, levels - 1) : written
    from = index + written.length
  }
  return made + text.slice(from)
}

function renderParameter(
  { id, label, values, choices }: Parameter,
  parameters: ReadonlyMap<string, Parameter>,
  max: number,
  levels: number,
): string {
  if (values.length > 0) return values.join(', ')
  if (choices.length === 0) return `[${label ?? id}]`
  let made = ''
  for (const choice of choices) {
    if (made.length > max) break
    made += `${made === '' ? '' : '; '}${insertParameters(choice, parameters, max, levels)}`
  }
  return `[${made}]`
}
